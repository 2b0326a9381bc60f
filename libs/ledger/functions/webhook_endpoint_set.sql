-- Pauses, resumes or takes away an endpoint.
--   of_id     the endpoint
--   verb      PAUSE, RESUME or REMOVE
--   why       of a pause; else empty
--   by_whom, by_request   what the change is kept with; the same request again has no second effect
-- What waits is tried at once after RESUME, as if it never was. outcome: DONE, also by this request earlier;
-- NOT_FOUND; or REUSED: the request was about something else.
CREATE OR REPLACE FUNCTION ledger.webhook_endpoint_set(of_id text, verb text, why text, by_whom text, by_request text)
RETURNS TABLE (outcome text)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  became CONSTANT text := of_id || CASE verb WHEN 'PAUSE' THEN ' PAUSED' WHEN 'RESUME' THEN ' ACTIVE' ELSE ' is gone' END;
  e webhook_endpoints;
  known text;
BEGIN
  SELECT * INTO e FROM webhook_endpoints WHERE endpoint_id = of_id FOR NO KEY UPDATE;
  known := control_known('WEBHOOK_' || verb, 'STORE', e.store_id, why, by_whom, by_request, became);
  IF known IS NOT NULL OR e.endpoint_id IS NULL THEN
    RETURN QUERY SELECT CASE known WHEN 'KNOWN' THEN 'DONE' WHEN 'REQUEST_ID_REUSED' THEN 'REUSED' ELSE 'NOT_FOUND' END;
    RETURN;
  END IF;
  IF verb = 'REMOVE' THEN
    DELETE FROM webhook_endpoints WHERE endpoint_id = of_id;
  ELSIF verb = 'PAUSE' THEN
    UPDATE webhook_endpoints SET state = 'PAUSED', state_reason = why WHERE endpoint_id = of_id;
  ELSE
    UPDATE webhook_endpoints SET state = 'ACTIVE', state_reason = '', failing_since = NULL WHERE endpoint_id = of_id;
    UPDATE webhook_deliveries SET attempts = 0, next_attempt_at = clock()
    WHERE endpoint_id = of_id AND state = 'DUE' AND attempts > 0;
  END IF;
  IF verb <> 'PAUSE' THEN
    PERFORM alert_clear('WEBHOOK_DISABLED', of_id, by_whom, lower(verb));
  END IF;
  PERFORM control_note('WEBHOOK_' || verb, 'STORE', e.store_id, of_id || ' ' || CASE verb WHEN 'REMOVE' THEN e.url
    ELSE e.state END, became, why, by_whom, clock(), by_request);
  RETURN QUERY SELECT 'DONE';
END $$;
