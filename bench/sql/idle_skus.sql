-- Skus that nobody asks for, a thousand of each store.
-- $1 int: number of the first    $2 int: number of the last
WITH wanted AS (
  SELECT 'idle-' || n AS sku_id, 'idle-store-' || n / 1000 AS store_id FROM generate_series($1::int, $2::int) AS n
), new_skus AS (
  INSERT INTO ledger.skus (sku_id, store_id, title, time_zone, per_user_limit, max_per_order, hold_ttl_seconds,
    payment_required, price_minor, currency, on_busy, paused, version, created_at, updated_at)
  SELECT sku_id, store_id, 'idle', '', 1, 10, 900, true, 1500, 'EUR', 'QUEUE', false, 1, now(), now() FROM wanted
), sizes AS (
  INSERT INTO ledger.stock_changes (sku_id, stock_version, delta_capacity, delta_overbooked, delta_free, reason, at)
  SELECT sku_id, 1, 10, 0, 10, 'CREATED', now() FROM wanted
)
INSERT INTO ledger.stock (sku_id, store_id, capacity, overbooked, free, reserved, held, sold, version)
SELECT sku_id, store_id, 10, 0, 10, 0, 0, 0, 1 FROM wanted;
