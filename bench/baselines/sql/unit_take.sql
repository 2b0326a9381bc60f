-- Gives the first unit to an order that nobody else is about to take. No row comes back when there is none such.
-- $1 text sku, $2 uuid order
UPDATE units SET order_id = $2
WHERE unit = (
  SELECT unit FROM units WHERE sku_id = $1 AND order_id IS NULL ORDER BY unit LIMIT 1 FOR UPDATE SKIP LOCKED
)
RETURNING unit
