-- What looks found, newest first, without the findings.
--   $1  only plans before this one, or null    $2  rows at most
SELECT p.* FROM ledger.reconcile_plan_rows AS p WHERE $1::bigint IS NULL OR p.id < $1 ORDER BY p.id DESC LIMIT $2;
