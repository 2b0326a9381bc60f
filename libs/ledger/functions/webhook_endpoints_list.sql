-- Endpoints by store and id, without their secrets.
--   of_stores    of these; null: of all
--   of_id        only this one; null: all
--   after_store, after_id   where the page before ended; null: from the beginning
CREATE OR REPLACE FUNCTION ledger.webhook_endpoints_list(
  of_stores text[], of_id text, after_store text, after_id text, at_most int
) RETURNS TABLE (
  endpoint_id text, store_id text, url text, event_types text[], state text, state_reason text, failing_since timestamptz,
  created_by text, created_at timestamptz, waiting int, previous_until timestamptz
)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT e.endpoint_id, e.store_id, e.url, e.event_types, e.state, e.state_reason, e.failing_since, e.created_by,
    e.created_at, (SELECT count(*)::int FROM webhook_deliveries AS d WHERE d.endpoint_id = e.endpoint_id AND d.state = 'DUE'),
    CASE WHEN s.previous_until > clock() THEN s.previous_until END
  FROM webhook_endpoints AS e JOIN webhook_secrets AS s ON s.endpoint_id = e.endpoint_id
  WHERE (of_stores IS NULL OR e.store_id = ANY (of_stores)) AND (of_id IS NULL OR e.endpoint_id = of_id)
    AND (after_id IS NULL OR (e.store_id, e.endpoint_id) > (after_store, after_id))
  ORDER BY e.store_id, e.endpoint_id LIMIT at_most;
END $$;
