-- What happened to orders, from the rows that tell of it. Read in the snapshot of whoever calls it.
--   ids  the orders
-- Returns one row for each thing that happened: when, to which order, what, its figures, and its place among those of one
-- instant. what:
--   HELD, CONFIRMED, CANCELLED, EXPIRED, FULFILLED   version, note (why it was cancelled), changed_by (when that is not
--     its user), moves: [{sku_id, free, held, sold}]
--   REFUSED      version, refusal
--   BOOKED       by, reason ('' without force), limits (that were passed over, in words): staff booked it, or let it wait
--   PUBLISHED    version, state
--   PAID, REFUND_DUE   provider, payment_id, amount_minor, currency
--   DEAD_LETTER  letter_id, subject, error
--   REPLAYED, DISCARDED   letter_id, by, reason
--   REPAIRED     moves
CREATE OR REPLACE FUNCTION ledger.orders_story(ids uuid[])
RETURNS TABLE (at timestamptz, order_id uuid, what text, facts jsonb, place int)
LANGUAGE sql STABLE
AS $$
  SELECT o.created_at, o.order_id, o.state, jsonb_build_object('version', o.version, 'refusal', o.refusal), 2
  FROM ledger.orders AS o WHERE o.order_id = ANY (ids) AND o.state = 'REFUSED'
  UNION ALL
  SELECT x.at, x.order_id, x.state, jsonb_build_object('version', x.order_version, 'note', CASE x.state
      WHEN 'CANCELLED' THEN (SELECT o.cancel_reason FROM ledger.orders AS o WHERE o.order_id = x.order_id) END,
    'changed_by', (
      SELECT c.changed_by FROM ledger.order_changes AS c JOIN ledger.orders AS o ON o.order_id = c.order_id
      WHERE c.order_id = x.order_id AND c.order_version = x.order_version AND c.verb NOT IN ('BOOK', 'JOIN')
        AND c.changed_by <> o.user_id),
    'moves', (
      SELECT coalesce(jsonb_agg(jsonb_build_object('sku_id', m.sku_id, 'free', m.delta_free, 'held', m.delta_held,
        'sold', m.delta_sold) ORDER BY m.sku_id), '[]')
      FROM ledger.movements AS m
      WHERE m.order_id = x.order_id AND m.order_version = x.order_version AND m.reason <> 'REPAIR')), 2
  FROM ledger.outbox AS x WHERE x.order_id = ANY (ids) AND x.kind = 'ORDER'
  UNION ALL
  SELECT c.at, c.order_id, 'BOOKED', jsonb_build_object('by', c.changed_by, 'reason', coalesce(c.note, ''), 'limits', (
    SELECT f.was FROM ledger.control_changes AS f WHERE f.what = 'FORCE' AND f.request_id = c.order_id::text)), 1
  FROM ledger.order_changes AS c WHERE c.order_id = ANY (ids) AND c.verb IN ('BOOK', 'JOIN')
  UNION ALL
  SELECT x.published_at, x.order_id, 'PUBLISHED', jsonb_build_object('version', x.order_version, 'state', x.state), 4
  FROM ledger.outbox AS x WHERE x.order_id = ANY (ids) AND x.kind = 'ORDER' AND x.published_at IS NOT NULL
  UNION ALL
  SELECT p.at, p.order_id, 'PAID', jsonb_build_object('provider', p.provider, 'payment_id', p.provider_payment_id,
    'amount_minor', p.amount_minor, 'currency', p.currency), 1
  FROM ledger.payments AS p WHERE p.order_id = ANY (ids) AND p.state <> 'FAILED'
  UNION ALL
  SELECT r.due_at, r.order_id, 'REFUND_DUE', jsonb_build_object('provider', r.provider,
    'payment_id', r.provider_payment_id, 'amount_minor', r.amount_minor, 'currency', p.currency), 4
  FROM ledger.refunds AS r
  JOIN ledger.payments AS p ON p.provider = r.provider AND p.provider_payment_id = r.provider_payment_id
  WHERE r.order_id = ANY (ids)
  UNION ALL
  SELECT d.at, d.order_id, 'DEAD_LETTER', jsonb_build_object('letter_id', d.id, 'subject', d.subject,
    'error', left(d.error, 500)), 3
  FROM ledger.dead_letters AS d WHERE d.order_id = ANY (ids)
  UNION ALL
  SELECT d.resolved_at, d.order_id, d.resolution, jsonb_build_object('letter_id', d.id, 'by', d.resolved_by,
    'reason', d.resolved_reason), 3
  FROM ledger.dead_letters AS d WHERE d.order_id = ANY (ids) AND d.resolved_at IS NOT NULL
  UNION ALL
  SELECT min(m.at), m.order_id, 'REPAIRED', jsonb_build_object('moves', jsonb_agg(jsonb_build_object('sku_id', m.sku_id,
    'free', m.delta_free, 'held', m.delta_held, 'sold', m.delta_sold) ORDER BY m.sku_id)), 3
  FROM ledger.movements AS m WHERE m.order_id = ANY (ids) AND m.reason = 'REPAIR' GROUP BY m.order_id, m.order_version
$$;
REVOKE EXECUTE ON FUNCTION ledger.orders_story FROM holdfast_runtime;
