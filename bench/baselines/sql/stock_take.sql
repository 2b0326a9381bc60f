-- Takes units of a stock that is locked and was seen to have them.
-- $1 text sku, $2 int quantity
UPDATE ledger.stock SET free = free - $2::int, held = held + $2::int, version = version + 1 WHERE sku_id = $1
