-- Every order row that names one of the run's skus, refused ones with them.
--   $1  sku ids
SELECT order_id AS "orderId", user_id AS "userId", request_id AS "requestId", state
FROM ledger.orders
WHERE order_id IN (SELECT order_id FROM ledger.order_lines WHERE sku_id = ANY ($1));
