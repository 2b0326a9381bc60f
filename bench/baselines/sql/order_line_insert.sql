-- Writes the order's line, held for as long as the order: now() is the same throughout a transaction.
-- $1 uuid order, $2 text sku, $3 text attendee, $4 int quantity
INSERT INTO ledger.order_lines (order_id, sku_id, attendee_id, quantity, unit_price_minor, held_until, created_at)
SELECT $1, $2, $3, $4, sku.price_minor, now() + sku.hold_ttl_seconds * interval '1 second', now()
FROM ledger.skus AS sku WHERE sku.sku_id = $2
