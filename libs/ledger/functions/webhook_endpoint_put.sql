-- Adds an endpoint, or changes where an endpoint is and what it wants.
--   of_id         of the endpoint; of_new says whether it is a new one
--   of_secret     of a new one
--   by_request    a request that added an endpoint before is answered with that one, and its secret
-- outcome: CREATED, CHANGED, NOT_FOUND, REUSED (the request added another one) or FULL (a store has 20 at most).
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
  known webhook_endpoints;
BEGIN
  IF NOT of_new THEN
    UPDATE webhook_endpoints AS e SET url = of_url, event_types = of_types
    WHERE e.endpoint_id = of_id AND e.store_id = of_store;
    RETURN QUERY SELECT CASE WHEN FOUND THEN 'CHANGED' ELSE 'NOT_FOUND' END, of_id, '';
    RETURN;
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('webhooks of ' || of_store, 0));
  SELECT * INTO known FROM webhook_endpoints AS e WHERE e.request_id = by_request;
  IF known.endpoint_id IS NOT NULL THEN
    RETURN QUERY SELECT CASE WHEN known.store_id = of_store AND known.url = of_url AND known.event_types = of_types
      THEN 'CREATED' ELSE 'REUSED' END, known.endpoint_id, s.secret
    FROM webhook_secrets AS s WHERE s.endpoint_id = known.endpoint_id;
    RETURN;
  END IF;
  IF (SELECT count(*) FROM webhook_endpoints AS e WHERE e.store_id = of_store) >= 20 THEN
    RETURN QUERY SELECT 'FULL', of_id, '';
    RETURN;
  END IF;
  INSERT INTO webhook_endpoints (endpoint_id, store_id, url, event_types, state, request_id, created_by, created_at)
  VALUES (of_id, of_store, of_url, of_types, 'ACTIVE', by_request, by_whom, clock());
  INSERT INTO webhook_secrets (endpoint_id, secret, request_id) VALUES (of_id, of_secret, by_request);
  RETURN QUERY SELECT 'CREATED', of_id, of_secret;
END $$;
