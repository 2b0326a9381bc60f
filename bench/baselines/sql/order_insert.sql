-- Writes an order HELD for one sku at today's price. No row comes back when the order is known.
-- $1 uuid order, $2 text store, $3 text user, $4 text request, $5 bytea hash of the lines, $6 text sku, $7 int quantity
INSERT INTO ledger.orders (order_id, store_id, user_id, request_id, lines_hash, state, version, amount_minor, currency,
  created_at, expires_at, updated_at)
SELECT $1, $2, $3, $4, $5, 'HELD', 1, sku.price_minor * $7, sku.currency, now(), now() + sku.hold_ttl_seconds * interval '1 second', now()
FROM ledger.skus AS sku WHERE sku.sku_id = $6 AND sku.store_id = $2
ON CONFLICT DO NOTHING
RETURNING order_id
