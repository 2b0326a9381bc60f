-- Holds as admission leaves them, one unit and one user each, spread over skus that they sell out. All end at once.
-- $1 text: the store    $2 text: begins the id of each sku    $3 int: skus    $4 int: holds, a multiple of the skus
-- $5 timestamptz: when they end
WITH new_skus AS (
  INSERT INTO ledger.skus (sku_id, store_id, title, time_zone, per_user_limit, max_per_order, hold_ttl_seconds,
    payment_required, price_minor, currency, on_busy, paused, version, created_at, updated_at)
  SELECT $2 || n, $1, 'due', '', 1, 10, 900, true, 1500, 'EUR', 'QUEUE', false, 1, now(), now()
  FROM generate_series(0, $3::int - 1) AS n
), wanted AS MATERIALIZED (
  SELECT gen_random_uuid() AS order_id, $2 || n % $3 AS sku_id, $2 || 'user-' || n AS user_id
  FROM generate_series(0, $4::int - 1) AS n
), new_orders AS (
  INSERT INTO ledger.orders (order_id, store_id, user_id, request_id, lines_hash, state, version, amount_minor,
    currency, created_at, expires_at, updated_at)
  SELECT order_id, $1, user_id, 'due', '', 'HELD', 1, 1500, 'EUR', now(), $5, now() FROM wanted
), new_lines AS (
  INSERT INTO ledger.order_lines (order_id, sku_id, attendee_id, quantity, unit_price_minor, held_until, created_at)
  SELECT order_id, sku_id, user_id, 1, 1500, $5, now() FROM wanted
), taken AS (
  INSERT INTO ledger.movements (order_id, sku_id, order_version, delta_free, delta_reserved, delta_held, delta_sold,
    reason, at)
  SELECT order_id, sku_id, 1, -1, 0, 1, 0, 'ADMIT', now() FROM wanted
), owned AS (
  INSERT INTO ledger.attendee_units (sku_id, attendee_id, units) SELECT sku_id, user_id, 1 FROM wanted
), told AS (
  INSERT INTO ledger.outbox (order_id, order_version, state, at, published_at)
  SELECT order_id, 1, 'HELD', now(), now() FROM wanted
), sizes AS (
  INSERT INTO ledger.stock_changes (sku_id, stock_version, delta_capacity, delta_overbooked, delta_free, reason, at)
  SELECT sku_id, 1, count(*), 0, count(*), 'CREATED', now() FROM wanted GROUP BY sku_id
)
INSERT INTO ledger.stock (sku_id, store_id, capacity, overbooked, free, reserved, held, sold, version)
SELECT sku_id, $1, count(*), 0, 0, 0, count(*), 0, 2 FROM wanted GROUP BY sku_id
