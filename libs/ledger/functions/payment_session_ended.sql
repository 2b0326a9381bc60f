-- Notes that a provider was told that nobody pays an attempt any more. Again the same is fine.
--   id, of_attempt  the attempt
CREATE OR REPLACE FUNCTION ledger.payment_session_ended(id uuid, of_attempt int) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
BEGIN
  UPDATE payment_attempts SET session_ended_at = clock()
  WHERE order_id = id AND attempt = of_attempt AND state = 'ENDED' AND session_ended_at IS NULL;
END $$;
