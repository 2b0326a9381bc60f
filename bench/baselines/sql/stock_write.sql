-- Writes how many units are free as it was worked out outside, whatever has become of the row since.
-- $1 text sku, $2 int free, $3 int quantity
UPDATE ledger.stock SET free = $2::int, held = held + $3::int, version = version + 1 WHERE sku_id = $1
