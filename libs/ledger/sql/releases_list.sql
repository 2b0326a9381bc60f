-- Skus by the instant at which their sale opens: those that open soon, and those that did within the last hour and are
-- not over yet.
--   $1  the store, or '' for all    $2  until so many hours from now
--   $3, $4  on_sale_at and sku of the last one of the page before; null: from the first    $5  rows at most
-- Returns a row of sku_rows, the ledger's clock, and the stock path that the switches give it: the narrowest scope that
-- has a word of its own decides.
WITH clock AS MATERIALIZED (SELECT ledger.clock() AS now)
SELECT clock.now, r.*, coalesce((
    SELECT w.setting FROM ledger.switches AS w
    WHERE w.switch = 'STOCK_PATH' AND w.setting <> 'AUTO' AND (w.expires_at IS NULL OR w.expires_at > clock.now)
      AND (w.scope, w.scope_id) IN (('SKU', r.sku_id), ('STORE', r.store_id), ('ALL', ''))
    ORDER BY CASE w.scope WHEN 'SKU' THEN 1 WHEN 'STORE' THEN 2 ELSE 3 END LIMIT 1
  ), 'AUTO') AS stock_path
FROM clock JOIN ledger.sku_rows AS r ON r.on_sale_at >= clock.now - interval '1 hour'
  AND r.on_sale_at <= clock.now + $2::int * interval '1 hour'
WHERE ($1::text = '' OR r.store_id = $1)
  AND (r.on_sale_at > clock.now OR coalesce(least(r.off_sale_at, r.starts_at) > clock.now, true))
  AND ($3::timestamptz IS NULL OR (r.on_sale_at, r.sku_id) > ($3, $4::text))
ORDER BY r.on_sale_at, r.sku_id LIMIT $5;
