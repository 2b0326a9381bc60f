-- The counters of the run's skus beside the same figures summed over order lines and over movements.
--   $1  sku ids
-- One row a sku. returned_at: when an order last gave units back.
WITH lines AS (
  SELECT sku_id,
    sum(quantity) FILTER (WHERE state = 'HELD') AS held,
    sum(quantity) FILTER (WHERE state IN ('CONFIRMED', 'FULFILLED')) AS sold
  FROM ledger.order_lines JOIN ledger.orders USING (order_id)
  WHERE sku_id = ANY ($1)
  GROUP BY sku_id
), moved AS (
  SELECT sku_id, sum(delta_held) AS held, sum(delta_sold) AS sold, max(at) FILTER (WHERE delta_free > 0) AS returned_at
  FROM ledger.movements
  WHERE sku_id = ANY ($1)
  GROUP BY sku_id
)
SELECT sku_id AS "skuId", capacity + overbooked AS capacity, free, reserved, stock.held, stock.sold,
  coalesce(lines.held, 0)::int AS "heldByLines", coalesce(lines.sold, 0)::int AS "soldByLines",
  coalesce(moved.held, 0)::int AS "heldByMovements", coalesce(moved.sold, 0)::int AS "soldByMovements",
  moved.returned_at AS "returnedAt"
FROM ledger.stock LEFT JOIN lines USING (sku_id) LEFT JOIN moved USING (sku_id)
WHERE sku_id = ANY ($1);
