-- Lets captured money go back: writes the refunds and asks for each once, by the outbox.
--   providers, payment_ids  payments, once each, whose orders the caller has locked
--   amounts                 minor units of each; null: all that is left of each, and they pay no order any more
--   why                     CANCELLED, PART_CANCELLED, SETTLED, or the payment's issue
--   at                      when
-- A payment of which nothing is left to give back is RETAINED, or REFUNDED when all of it went back before.
CREATE OR REPLACE FUNCTION ledger.refunds_add(
  providers text[], payment_ids text[], amounts bigint[], why text, at timestamptz
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
BEGIN
  WITH added AS (
    INSERT INTO refunds (order_id, number, provider, provider_payment_id, amount_minor, reason, state, due_at)
    SELECT d.order_id, coalesce((SELECT max(r.number) FROM refunds AS r WHERE r.order_id = d.order_id), 0)
        + row_number() OVER (PARTITION BY d.order_id ORDER BY d.provider, d.provider_payment_id),
      d.provider, d.provider_payment_id, d.amount, why, 'DUE', at
    FROM (
      SELECT p.order_id, p.provider, p.provider_payment_id, least(w.amount, p.amount_minor - p.retained_minor - (
          SELECT coalesce(sum(r.amount_minor), 0)::bigint FROM refunds AS r
          WHERE r.provider = p.provider AND r.provider_payment_id = p.provider_payment_id AND r.state <> 'WITHDRAWN'
        )) AS amount
      FROM unnest(providers, payment_ids, amounts) AS w (provider, payment_id, amount)
      JOIN payments AS p ON p.provider = w.provider AND p.provider_payment_id = w.payment_id
    ) AS d
    WHERE d.amount > 0
    RETURNING order_id, number
  )
  INSERT INTO outbox (kind, order_id, order_version, state, at)
  SELECT 'REFUND', a.order_id, a.number, 'REFUND_DUE', at FROM added AS a;

  UPDATE payments AS p SET state = CASE WHEN r.due > 0 THEN 'REFUND_DUE' WHEN r.done > 0 THEN 'REFUNDED'
    ELSE 'RETAINED' END
  FROM unnest(providers, payment_ids, amounts) AS w (provider, payment_id, amount)
  CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE r.state = 'DUE') AS due, count(*) FILTER (WHERE r.state = 'DONE') AS done
    FROM refunds AS r WHERE r.provider = w.provider AND r.provider_payment_id = w.payment_id
  ) AS r
  WHERE w.amount IS NULL AND p.provider = w.provider AND p.provider_payment_id = w.payment_id;
END $$;
REVOKE EXECUTE ON FUNCTION ledger.refunds_add FROM holdfast_runtime;
