-- Gives an endpoint a new secret; the one before signs too for a while.
--   keep_ms     how long
--   by_request  the request of the last rotation is answered with its secret again
-- Returns the secret; null when there is no such endpoint.
CREATE OR REPLACE FUNCTION ledger.webhook_secret_rotate(of_id text, of_secret text, keep_ms bigint, by_request text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  now_secret text;
BEGIN
  UPDATE webhook_secrets AS s SET previous = s.secret, previous_until = clock() + keep_ms * interval '1 millisecond',
    secret = of_secret, request_id = by_request
  WHERE s.endpoint_id = of_id AND s.request_id <> by_request;
  SELECT s.secret INTO now_secret FROM webhook_secrets AS s WHERE s.endpoint_id = of_id;
  RETURN now_secret;
END $$;
