-- One order of a sku that is sold.
-- $1 text: the sku
SELECT order_id::text, user_id FROM ledger.orders JOIN ledger.order_lines USING (order_id)
WHERE sku_id = $1 AND state = 'CONFIRMED' LIMIT 1
