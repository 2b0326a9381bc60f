-- Notes how runs ended.
--   names  of the jobs    results  of each: what it did or its error, in words
--   next_in_ms  of each: milliseconds until it is due again, when that is known better now; null: as claimed
CREATE OR REPLACE FUNCTION ledger.jobs_finish(names text[], results text[], next_in_ms int[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
AS $$
#variable_conflict use_column
BEGIN
  PERFORM FROM jobs WHERE name = ANY (names) ORDER BY name FOR UPDATE;
  UPDATE jobs SET last_result = result, next_run_at = coalesce(clock() + rest_ms * interval '1 millisecond', next_run_at)
  FROM unnest(names, results, next_in_ms) AS ended (job, result, rest_ms)
  WHERE name = job;
END $$;
