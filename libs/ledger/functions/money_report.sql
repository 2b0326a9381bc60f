-- What a store's money did on a day, by provider and currency. What happened is told by when it was recorded, so that a day
-- that is over says the same whenever it is asked for; states are those of now.
--   of_store        the store; empty: money of unknown orders
--   of_day, zone    the day, and where it begins and ends at midnight
-- Returns rows: payments recorded on the day and their sum, what of all money fell due for refund and was refunded on
-- the day, and states: the sums of the day's payments by the state they are in now. All in minor units.
CREATE OR REPLACE FUNCTION ledger.money_report(of_store text, of_day date, zone text)
RETURNS TABLE (provider text, currency text, payments bigint, captured_minor bigint, refund_due_minor bigint,
  refunded_minor bigint, states jsonb)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  since CONSTANT timestamptz := of_day::timestamp AT TIME ZONE zone;
  until CONSTANT timestamptz := (of_day + 1)::timestamp AT TIME ZONE zone;
BEGIN
  RETURN QUERY
  WITH happened AS (
    SELECT p.provider, p.currency, p.state, 1 AS payments, p.amount_minor AS captured, 0::bigint AS due,
      0::bigint AS refunded
    FROM payments AS p WHERE p.store_id = of_store AND p.state <> 'FAILED' AND p.at >= since AND p.at < until
    UNION ALL
    SELECT p.provider, p.currency, NULL, 0, 0,
      CASE WHEN r.reason <> 'UNREQUESTED' AND r.due_at >= since AND r.due_at < until THEN r.amount_minor ELSE 0 END,
      CASE WHEN r.refunded_at >= since AND r.refunded_at < until THEN r.amount_minor ELSE 0 END
    FROM payments AS p
    JOIN refunds AS r ON r.provider = p.provider AND r.provider_payment_id = p.provider_payment_id
    WHERE p.store_id = of_store AND p.at < until
  ), by_state AS (
    SELECT h.provider, h.currency, h.state, sum(h.payments)::bigint AS payments, sum(h.captured)::bigint AS captured,
      sum(h.due)::bigint AS due, sum(h.refunded)::bigint AS refunded
    FROM happened AS h GROUP BY h.provider, h.currency, h.state
  )
  SELECT b.provider, b.currency, sum(b.payments)::bigint, sum(b.captured)::bigint, sum(b.due)::bigint,
    sum(b.refunded)::bigint, coalesce(jsonb_object_agg(b.state, b.captured) FILTER (WHERE b.state IS NOT NULL), '{}')
  FROM by_state AS b GROUP BY b.provider, b.currency
  HAVING sum(b.payments) + sum(b.due) + sum(b.refunded) > 0
  ORDER BY b.provider, b.currency;
END $$;
