-- How many units are free, locked until the transaction ends.
-- $1 text sku
SELECT free FROM ledger.stock WHERE sku_id = $1 FOR UPDATE
