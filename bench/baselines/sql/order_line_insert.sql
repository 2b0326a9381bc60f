-- Writes the order's line.
-- $1 uuid order, $2 text sku, $3 text attendee, $4 int quantity, $5 timestamptz until when it is held
INSERT INTO ledger.order_lines (order_id, sku_id, attendee_id, quantity, unit_price_minor, held_until, created_at)
SELECT $1, $2, $3, $4, sku.price_minor, $5, now() FROM ledger.skus AS sku WHERE sku.sku_id = $2
