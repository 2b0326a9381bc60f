-- How many orders have units of a sku.
-- $1 text: the sku
SELECT count(*)::int AS orders FROM ledger.order_lines JOIN ledger.orders USING (order_id)
WHERE sku_id = $1 AND state <> 'REFUSED'
