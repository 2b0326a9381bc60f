-- Skus whose sale opens soon, and the next opening beyond them.
--   $1  within so many seconds from now
-- Returns one row.
WITH clock AS MATERIALIZED (SELECT ledger.clock() AS now, ledger.clock() + $1::int * interval '1 second' AS soon)
SELECT
  ARRAY(
    SELECT sku_id FROM ledger.skus WHERE on_sale_at > clock.now AND on_sale_at <= clock.soon
    ORDER BY on_sale_at, sku_id
  ) AS sku_ids,
  (SELECT min(on_sale_at) FROM ledger.skus WHERE on_sale_at > clock.soon) AS next_opening_at
FROM clock;
