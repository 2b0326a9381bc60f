-- A store's skus in the order of their ids.
--   $1  the store    $2  the last sku of the page before, or ''    $3  rows at most
SELECT ledger.clock() AS now, r.* FROM ledger.sku_rows AS r
WHERE r.store_id = $1 AND r.sku_id > $2
ORDER BY r.sku_id LIMIT $3;
