-- Adds an endpoint, or changes where an endpoint is and what it wants.
--   of_id         of the endpoint; of_new says whether it is a new one
--   of_secret     of a new one
--   by_whom, by_request   what the change is kept with; the same request again has no second effect, and is told of the
--                 endpoint that it added, and its secret
-- outcome: PUT; REUSED: the request was about something else; FULL: a store has 20 at most. No row: there is no such
-- endpoint, or not any more.
CREATE OR REPLACE FUNCTION ledger.webhook_endpoint_put(
  of_id text, of_new boolean, of_store text, of_url text, of_types text[], of_secret text, by_whom text, by_request text
) RETURNS TABLE (outcome text, endpoint_id text, secret text)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  became CONSTANT text := webhook_words(of_url, of_types);
  was webhook_endpoints;
  known text;
BEGIN
  IF NOT of_new THEN
    SELECT * INTO was FROM webhook_endpoints AS e WHERE e.endpoint_id = of_id AND e.store_id = of_store FOR NO KEY UPDATE;
    IF NOT FOUND THEN
      RETURN;
    END IF;
    known := control_known('WEBHOOK_CHANGE', 'STORE', of_store, '', by_whom, by_request, of_id || ' ' || became);
    IF known IS NULL THEN
      UPDATE webhook_endpoints AS e SET url = of_url, event_types = of_types WHERE e.endpoint_id = of_id;
      PERFORM control_note('WEBHOOK_CHANGE', 'STORE', of_store, of_id || ' ' || webhook_words(was.url, was.event_types),
        of_id || ' ' || became, '', by_whom, clock(), by_request);
    END IF;
    RETURN QUERY SELECT CASE known WHEN 'REQUEST_ID_REUSED' THEN 'REUSED' ELSE 'PUT' END, of_id, '';
    RETURN;
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('webhooks of ' || of_store, 0));
  known := control_known('WEBHOOK_ADD', 'STORE', of_store, '', by_whom, by_request, became);
  IF known = 'REQUEST_ID_REUSED' THEN
    RETURN QUERY SELECT 'REUSED', of_id, '';
    RETURN;
  ELSIF known IS NULL AND (SELECT count(*) FROM webhook_endpoints AS e WHERE e.store_id = of_store) >= 20 THEN
    RETURN QUERY SELECT 'FULL', of_id, '';
    RETURN;
  ELSIF known IS NULL THEN
    INSERT INTO webhook_endpoints (endpoint_id, store_id, url, event_types, state, request_id, created_by, created_at)
    VALUES (of_id, of_store, of_url, of_types, 'ACTIVE', by_request, by_whom, clock());
    INSERT INTO webhook_secrets (endpoint_id, secret) VALUES (of_id, of_secret);
    PERFORM control_note('WEBHOOK_ADD', 'STORE', of_store, '', became || ', ' || of_id, '', by_whom, clock(), by_request);
  END IF;
  RETURN QUERY SELECT 'PUT', e.endpoint_id, s.secret
  FROM webhook_endpoints AS e JOIN webhook_secrets AS s ON s.endpoint_id = e.endpoint_id WHERE e.request_id = by_request;
END $$;
