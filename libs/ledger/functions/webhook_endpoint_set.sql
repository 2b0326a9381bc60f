-- Pauses, resumes or takes away an endpoint.
--   of_id     the endpoint
--   verb      PAUSE, RESUME or DELETE
--   why       of a pause
-- What waits is tried at once after RESUME, as if it never was. Returns whether there was such an endpoint.
CREATE OR REPLACE FUNCTION ledger.webhook_endpoint_set(of_id text, verb text, why text, by_whom text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  found_one boolean;
BEGIN
  IF verb = 'DELETE' THEN
    DELETE FROM webhook_endpoints WHERE endpoint_id = of_id;
  ELSIF verb = 'PAUSE' THEN
    UPDATE webhook_endpoints SET state = 'PAUSED', state_reason = why WHERE endpoint_id = of_id;
  ELSE
    UPDATE webhook_endpoints SET state = 'ACTIVE', state_reason = '', failing_since = NULL WHERE endpoint_id = of_id;
  END IF;
  found_one := FOUND;
  IF verb = 'RESUME' THEN
    UPDATE webhook_deliveries SET attempts = 0, next_attempt_at = clock()
    WHERE endpoint_id = of_id AND state = 'DUE' AND attempts > 0;
  END IF;
  IF verb <> 'PAUSE' THEN
    PERFORM alert_clear('WEBHOOK_DISABLED', of_id, by_whom, lower(verb));
  END IF;
  RETURN found_one;
END $$;
