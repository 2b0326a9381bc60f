-- Attempts whose order went another way and whose provider still takes money: to be told that nobody pays there any more.
--   at_most  rows
CREATE OR REPLACE FUNCTION ledger.payment_sessions_to_end(at_most int) RETURNS SETOF ledger.payment_attempts
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
BEGIN
  RETURN QUERY SELECT * FROM payment_attempts AS a
  WHERE a.state = 'ENDED' AND a.session_id IS NOT NULL AND a.session_ended_at IS NULL
  ORDER BY a.order_id, a.attempt LIMIT at_most;
END $$;
