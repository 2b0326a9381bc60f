-- One sku, and the ledger's clock.
--   $1  the sku
SELECT ledger.clock() AS now, r.* FROM ledger.sku_rows AS r WHERE r.sku_id = $1;
