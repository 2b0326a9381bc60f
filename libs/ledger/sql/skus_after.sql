-- Ids of what is for sale or has stock, in their order.
--   $1  the last one of those before, or ''    $2  ids at most
SELECT t.sku_id FROM (
  (SELECT sku_id FROM ledger.skus WHERE sku_id > $1 ORDER BY sku_id LIMIT $2)
  UNION
  (SELECT sku_id FROM ledger.stock WHERE sku_id > $1 ORDER BY sku_id LIMIT $2)
) AS t
ORDER BY t.sku_id LIMIT $2;
