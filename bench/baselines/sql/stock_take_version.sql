-- Takes units if nobody has changed the stock since it was seen; no row comes back otherwise.
-- $1 text sku, $2 int quantity, $3 bigint version that was seen
UPDATE ledger.stock SET free = free - $2::int, held = held + $2::int, version = version + 1
WHERE sku_id = $1 AND version = $3
RETURNING version
