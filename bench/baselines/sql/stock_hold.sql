-- Takes units if so many are free; no row comes back otherwise.
-- $1 text sku, $2 int quantity
UPDATE ledger.stock SET free = free - $2::int, held = held + $2::int, version = version + 1
WHERE sku_id = $1 AND free >= $2::int
RETURNING version
