-- One plan with its findings, by its id or by the request that made it.
--   of_id       the plan, or null
--   of_request  the request, when there is no id
-- Returns a row of reconcile_plan_rows with the findings in their order, or none.
CREATE OR REPLACE FUNCTION ledger.plan_read(of_id bigint, of_request text)
RETURNS TABLE (
  id bigint, state text, made_at timestamptz, made_by text, skus int, orders bigint, findings_count int, mended int,
  applied_at timestamptz, applied_by text, findings json
)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT p.id, p.state, p.made_at, p.made_by, p.skus, p.orders, p.findings_count, p.mended, p.applied_at,
    p.applied_by, (
      SELECT coalesce(json_agg(f ORDER BY f.place), '[]') FROM reconcile_findings AS f WHERE f.plan_id = p.id
    )
  FROM reconcile_plan_rows AS p
  WHERE p.id = coalesce(of_id, (SELECT r.id FROM reconcile_plans AS r WHERE r.request_id = of_request));
END $$;
