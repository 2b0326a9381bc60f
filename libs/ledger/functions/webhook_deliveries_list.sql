-- Deliveries of an endpoint, the newest first.
--   of_state   DUE, DELIVERED or FAILED; null: any
--   since      created then or later; null: all
--   before_sequence   where the page before ended; null: from the newest
CREATE OR REPLACE FUNCTION ledger.webhook_deliveries_list(
  of_endpoint text, of_state text, since timestamptz, before_sequence bigint, at_most int
) RETURNS SETOF ledger.webhook_deliveries
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT * FROM webhook_deliveries AS d
  WHERE d.endpoint_id = of_endpoint AND (of_state IS NULL OR d.state = of_state) AND (since IS NULL OR d.created_at >= since)
    AND (before_sequence IS NULL OR d.sequence < before_sequence)
  ORDER BY d.sequence DESC LIMIT at_most;
END $$;
