-- Gives an endpoint a new secret; the one before signs too for a while.
--   keep_ms     how long
--   by_whom, by_request   what the change is kept with; the same request again is told the secret that holds
-- outcome: DONE, with the secret; NOT_FOUND; or REUSED: the request was about something else.
CREATE OR REPLACE FUNCTION ledger.webhook_secret_rotate(
  of_id text, of_secret text, keep_ms bigint, by_whom text, by_request text
) RETURNS TABLE (outcome text, secret text)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  became CONSTANT text := of_id || ' has another secret';
  of_store text;
  known text;
BEGIN
  SELECT e.store_id INTO of_store FROM webhook_endpoints AS e WHERE e.endpoint_id = of_id FOR NO KEY UPDATE;
  known := control_known('WEBHOOK_ROTATE', 'STORE', of_store, '', by_whom, by_request, became);
  IF of_store IS NULL OR known = 'REQUEST_ID_REUSED' THEN
    RETURN QUERY SELECT CASE known WHEN 'REQUEST_ID_REUSED' THEN 'REUSED' ELSE 'NOT_FOUND' END, NULL;
    RETURN;
  ELSIF known IS NULL THEN
    UPDATE webhook_secrets AS s SET previous = s.secret, previous_until = clock() + keep_ms * interval '1 millisecond',
      secret = of_secret
    WHERE s.endpoint_id = of_id;
    PERFORM control_note('WEBHOOK_ROTATE', 'STORE', of_store, '', became, '', by_whom, clock(), by_request);
  END IF;
  RETURN QUERY SELECT 'DONE', s.secret FROM webhook_secrets AS s WHERE s.endpoint_id = of_id;
END $$;
