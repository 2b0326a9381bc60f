-- Takes away what was delivered or failed long ago.
--   older_ms  since it was written
-- Returns how many rows; at_most: there may be more.
CREATE OR REPLACE FUNCTION ledger.webhook_prune(older_ms bigint, at_most int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  gone int;
BEGIN
  DELETE FROM webhook_deliveries WHERE sequence IN (
    SELECT d.sequence FROM webhook_deliveries AS d
    WHERE d.state <> 'DUE' AND d.created_at < clock() - older_ms * interval '1 millisecond'
    ORDER BY d.created_at LIMIT at_most);
  GET DIAGNOSTICS gone = ROW_COUNT;
  RETURN gone;
END $$;
