-- How many units are free, and as of which version; nothing is locked.
-- $1 text sku
SELECT free, version FROM ledger.stock WHERE sku_id = $1
