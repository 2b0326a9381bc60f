-- A store's skus that start within a time, in the order of their starts.
--   $1  the store
--   $2  the first instant, or null    $3  the first instant beyond the last, or null
--   $4, $5  starts_at and sku of the last one of the page before; null: from the first    $6  rows at most
SELECT ledger.clock() AS now, r.* FROM ledger.sku_rows AS r
WHERE r.store_id = $1 AND r.starts_at IS NOT NULL
  AND r.starts_at >= coalesce($2::timestamptz, '-infinity') AND r.starts_at < coalesce($3::timestamptz, 'infinity')
  AND (r.starts_at, r.sku_id) > (coalesce($4::timestamptz, '-infinity'), coalesce($5::text, ''))
ORDER BY r.starts_at, r.sku_id LIMIT $6;
