-- The lowest unpublished news, with what an event tells about it.
--   at_most  rows
-- News with a lower id may be committed later: they are then the first of the next call.
-- Of kind WAITLIST, store_id and user_id are the entry's, and entry is {sku_id, quantity, offer_id, expires_at}.
-- Of kind ORDER, user_id and lines are the order's; of kind REFUND, refund is {provider, provider_payment_id,
-- amount_minor, currency, reason}; moved is {reason, released, held_seconds} of a change of an order that moved units, not
-- of its birth: how many came back, and how long the hold lasted, if this ended it. store_id is empty when nobody knows the
-- order.
CREATE OR REPLACE FUNCTION ledger.outbox_take(at_most int)
RETURNS TABLE (
  id bigint, kind text, order_id uuid, order_version int, state text, at timestamptz, store_id text, user_id text,
  lines json, refund json, entry json, moved json
)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT x.id, x.kind, x.order_id, x.order_version, x.state, x.at, coalesce(o.store_id, e.store_id, ''), coalesce(o.user_id, e.user_id),
    o.lines, (
      SELECT json_build_object('provider', r.provider, 'provider_payment_id', r.provider_payment_id,
        'amount_minor', r.amount_minor, 'currency', p.currency, 'reason', r.reason)
      FROM refunds AS r
      JOIN payments AS p ON p.provider = r.provider AND p.provider_payment_id = r.provider_payment_id
      WHERE x.kind = 'REFUND' AND r.order_id = x.order_id AND r.number = x.order_version),
    CASE WHEN e.entry_id IS NOT NULL THEN json_build_object('sku_id', e.sku_id, 'quantity', e.quantity, 'offer_id',
      CASE WHEN x.state IN ('OFFERED', 'PROMOTED', 'EXPIRED', 'DECLINED') THEN e.order_id END,
      'expires_at', CASE WHEN x.state = 'OFFERED' THEN e.expires_at END) END, (
      SELECT json_build_object('reason', min(m.reason),
        'released', sum(greatest(0, m.delta_free + m.delta_reserved)),
        'held_seconds', CASE WHEN x.state <> 'HELD' AND min(m.delta_held) < 0
          THEN extract(epoch FROM max(m.at) - o.created_at) END)
      FROM movements AS m
      WHERE x.kind = 'ORDER' AND x.order_version > 1 AND m.order_id = x.order_id AND m.order_version = x.order_version
      HAVING count(*) > 0)
  FROM (SELECT * FROM outbox WHERE published_at IS NULL ORDER BY id LIMIT at_most) AS x
  -- Of each its own row: a plan that was made while there were no orders would read all of them for each.
  LEFT JOIN LATERAL (
    SELECT * FROM order_rows AS o WHERE o.order_id = x.order_id AND x.kind <> 'WAITLIST' LIMIT 1
  ) AS o ON true
  LEFT JOIN LATERAL (
    SELECT * FROM waitlist_rows AS e WHERE e.entry_id = x.order_id AND x.kind = 'WAITLIST' LIMIT 1
  ) AS e ON true
  WHERE x.kind = 'REFUND' OR o.order_id IS NOT NULL OR e.entry_id IS NOT NULL
  ORDER BY x.id;
END $$;
