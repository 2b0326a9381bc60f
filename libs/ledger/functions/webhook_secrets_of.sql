-- What a webhook to an endpoint is sent to and signed with now; nothing when there is no such endpoint.
CREATE OR REPLACE FUNCTION ledger.webhook_secrets_of(of_id text) RETURNS TABLE (url text, secrets text[])
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT e.url, CASE WHEN s.previous_until > clock() THEN ARRAY[s.secret, s.previous] ELSE ARRAY[s.secret] END
  FROM webhook_endpoints AS e JOIN webhook_secrets AS s ON s.endpoint_id = e.endpoint_id WHERE e.endpoint_id = of_id;
END $$;
