-- Notes what a provider answered about an attempt, once: who comes second is given what the first one noted.
--   id, of_attempt                the attempt
--   of_session, with_parameters, at_url   the provider's name of the session, what its page needs, and where it is
-- Returns the attempt as it is now; none when there is no such attempt. It may have ended meanwhile: then its session is
-- among payment_sessions_to_end.
CREATE OR REPLACE FUNCTION ledger.payment_session_set(
  id uuid, of_attempt int, of_session text, with_parameters jsonb, at_url text
) RETURNS SETOF ledger.payment_attempts
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
BEGIN
  UPDATE payment_attempts SET session_id = of_session, parameters = with_parameters, url = at_url
  WHERE order_id = id AND attempt = of_attempt AND session_id IS NULL;
  RETURN QUERY SELECT * FROM payment_attempts WHERE order_id = id AND attempt = of_attempt;
END $$;
