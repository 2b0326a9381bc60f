-- Pauses a job for every scheduler, or lets it run again, at once.
--   job  its name    reason  why it is paused; null: resume
-- Returns the job, or nothing when there is none of that name.
CREATE OR REPLACE FUNCTION ledger.job_set_paused(job text, reason text) RETURNS SETOF ledger.jobs
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY UPDATE jobs SET paused = reason IS NOT NULL, pause_reason = reason WHERE name = job RETURNING *;
END $$;
