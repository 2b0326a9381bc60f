-- Every unit of some skus that went to an order which nobody on the waitlist was offered.
--   $1  sku ids
-- One row a movement: of an admission, of an order that moved here, or of late money that found its units free.
SELECT order_id AS "orderId", sku_id AS "skuId", reason, at
FROM ledger.movements
WHERE sku_id = ANY ($1) AND delta_free + delta_reserved < 0 AND reason <> 'PROMOTE'
ORDER BY sku_id, at;
