-- Whether what was found again is not what a plan would repair. Figures that move with sales do not count.
--   of_plan                                   the plan
--   violations, sku_ids, order_ids, details   the findings, as reconcile_again gives them
CREATE OR REPLACE FUNCTION ledger.reconcile_differs(
  of_plan bigint, violations text[], sku_ids text[], order_ids uuid[], details jsonb[]
) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = ledger, pg_temp
AS $$
  WITH planned AS (
    SELECT f.kind, f.sku_id, f.order_id, coalesce(f.detail -> 'differs', f.detail) AS differs
    FROM ledger.reconcile_findings AS f WHERE f.plan_id = of_plan AND f.remedy <> '' AND NOT f.mended
  ), found AS (
    SELECT f.kind, f.sku_id, f.order_id, coalesce(f.detail -> 'differs', f.detail) AS differs
    FROM unnest(violations, sku_ids, order_ids, details) AS f (kind, sku_id, order_id, detail)
  )
  SELECT EXISTS (TABLE planned EXCEPT TABLE found) OR (
    EXISTS (TABLE found EXCEPT TABLE planned)
    -- Of a plan that did not keep all it found nobody can tell.
    AND (SELECT p.findings_count FROM ledger.reconcile_plans AS p WHERE p.id = of_plan)
      <= (SELECT count(*) FROM ledger.reconcile_findings AS f WHERE f.plan_id = of_plan));
$$;
REVOKE EXECUTE ON FUNCTION ledger.reconcile_differs FROM holdfast_runtime;
