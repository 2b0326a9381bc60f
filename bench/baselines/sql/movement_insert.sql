-- Writes that units went from free to held.
-- $1 uuid order, $2 text sku, $3 int quantity
INSERT INTO ledger.movements (order_id, sku_id, order_version, delta_free, delta_reserved, delta_held, delta_sold, reason, at)
VALUES ($1, $2, 1, -$3::int, 0, $3::int, 0, 'ADMIT', now())
