-- What waits in the ledger to be published, and for a person. Counts end at 100000.
-- Returns one row: events that are unpublished, the age of the oldest in ms (0 without any), and dead letters that nobody
-- has seen to.
CREATE OR REPLACE FUNCTION ledger.backlog_read() RETURNS TABLE (events int, oldest_ms bigint, letters int)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
BEGIN
  RETURN QUERY SELECT (
      SELECT count(*)::int FROM (SELECT FROM outbox AS x WHERE x.published_at IS NULL LIMIT 100000) AS t
    ), coalesce((
      -- The lowest id is the oldest, but for transactions that were open at one time.
      SELECT (extract(epoch FROM clock() - x.at) * 1000)::bigint
      FROM outbox AS x WHERE x.published_at IS NULL ORDER BY x.id LIMIT 1
    ), 0), (
      SELECT count(*)::int FROM (SELECT FROM dead_letters AS d WHERE d.resolved_at IS NULL LIMIT 100000) AS t);
END $$;
