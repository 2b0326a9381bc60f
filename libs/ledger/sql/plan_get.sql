-- One plan with its findings, by its id or by the request that made it.
--   $1  the id, or null    $2  the request, or null
SELECT p.*, (
  SELECT coalesce(json_agg(f ORDER BY f.place), '[]') FROM ledger.reconcile_findings AS f WHERE f.plan_id = p.id
) AS findings
FROM ledger.reconcile_plan_rows AS p WHERE p.id = $1::bigint OR p.request_id = $2::text;
