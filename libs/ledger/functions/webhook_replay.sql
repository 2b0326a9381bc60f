-- Sends events again in their order, as if they never were sent; what is due is tried at once.
--   of_event      this one; null: all that are FAILED, up to 10,000
--   failed_since  and were written then or later
-- Returns how many.
CREATE OR REPLACE FUNCTION ledger.webhook_replay(of_endpoint text, of_event text, failed_since timestamptz) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  again int;
BEGIN
  -- Whoever notes how an attempt ended holds the endpoint, too.
  PERFORM FROM webhook_endpoints WHERE endpoint_id = of_endpoint FOR NO KEY UPDATE;
  UPDATE webhook_deliveries AS d SET state = 'DUE', attempts = 0, next_attempt_at = clock()
  WHERE d.sequence IN (
    SELECT f.sequence FROM webhook_deliveries AS f
    WHERE f.endpoint_id = of_endpoint AND CASE WHEN of_event IS NULL
      THEN f.state = 'FAILED' AND f.created_at >= failed_since ELSE f.event_id = of_event END
    ORDER BY f.sequence LIMIT 10000);
  GET DIAGNOSTICS again = ROW_COUNT;
  RETURN again;
END $$;
