-- How many alerts are open. Returns one row a kind that has any.
CREATE OR REPLACE FUNCTION ledger.alerts_count() RETURNS TABLE (kind text, open int)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
BEGIN
  RETURN QUERY SELECT a.kind, count(*)::int FROM alerts AS a WHERE a.cleared_at IS NULL GROUP BY a.kind;
END $$;
