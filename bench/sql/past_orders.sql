-- Orders of earlier sales, as the ledger's functions leave them: one unit each, every other one paid, spread over skus
-- that are sold out.
-- $1 text: the store    $2 int: skus    $3 int: orders, a multiple of the skus
WITH new_skus AS (
  INSERT INTO ledger.skus (sku_id, store_id, title, time_zone, per_user_limit, max_per_order, hold_ttl_seconds,
    payment_required, price_minor, currency, on_busy, paused, version, created_at, updated_at)
  SELECT 'past-' || n, $1, 'past', '', 1, 10, 86400, true, 1500, 'EUR', 'QUEUE', false, 1, now(), now()
  FROM generate_series(0, $2::int - 1) AS n
), wanted AS MATERIALIZED (
  SELECT n, gen_random_uuid() AS order_id, 'past-' || n % $2 AS sku_id, 'user-' || n AS user_id, n / $2 % 2 = 0 AS is_paid
  FROM generate_series(0, $3::int - 1) AS n
), new_orders AS (
  INSERT INTO ledger.orders (order_id, store_id, user_id, request_id, lines_hash, state, version, amount_minor,
    currency, created_at, expires_at, updated_at)
  SELECT order_id, $1, user_id, 'past', '', CASE WHEN is_paid THEN 'CONFIRMED' ELSE 'HELD' END,
    CASE WHEN is_paid THEN 2 ELSE 1 END, 1500, 'EUR', now(), CASE WHEN NOT is_paid THEN now() + interval '1 day' END,
    now()
  FROM wanted
), new_lines AS (
  INSERT INTO ledger.order_lines (order_id, sku_id, attendee_id, quantity, unit_price_minor, held_until, created_at)
  SELECT order_id, sku_id, user_id, 1, 1500, CASE WHEN NOT is_paid THEN now() + interval '1 day' END, now() FROM wanted
), taken AS (
  INSERT INTO ledger.movements (order_id, sku_id, order_version, delta_free, delta_reserved, delta_held, delta_sold,
    reason, at)
  SELECT order_id, sku_id, 1, -1, 0, 1, 0, 'ADMIT', now() FROM wanted
  UNION ALL
  SELECT order_id, sku_id, 2, 0, 0, -1, 1, 'PAY', now() FROM wanted WHERE is_paid
), owned AS (
  INSERT INTO ledger.attendee_units (sku_id, attendee_id, units) SELECT sku_id, user_id, 1 FROM wanted
), told AS (
  INSERT INTO ledger.outbox (order_id, order_version, state, at, published_at)
  SELECT order_id, 1, 'HELD', now(), now() FROM wanted
  UNION ALL
  SELECT order_id, 2, 'CONFIRMED', now(), now() FROM wanted WHERE is_paid
), paid AS (
  INSERT INTO ledger.payments (provider, provider_payment_id, order_id, amount_minor, currency, state, at)
  SELECT 'bank', user_id, order_id, 1500, 'EUR', 'CAPTURED', now() FROM wanted WHERE is_paid
), sizes AS (
  INSERT INTO ledger.stock_changes (sku_id, stock_version, delta_capacity, delta_overbooked, delta_free, reason, at)
  SELECT sku_id, 1, count(*), 0, count(*), 'CREATED', now() FROM wanted GROUP BY sku_id
)
INSERT INTO ledger.stock (sku_id, store_id, capacity, overbooked, free, reserved, held, sold, version)
SELECT sku_id, $1, count(*), 0, 0, 0, count(*) FILTER (WHERE NOT is_paid), count(*) FILTER (WHERE is_paid), 3
FROM wanted GROUP BY sku_id;
