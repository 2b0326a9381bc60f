-- What operators do to a sku by hand.

-- Units that come back shrink what is overbooked before any of them is free again.
ALTER TABLE ledger.stock ADD CONSTRAINT stock_overbooked_has_none_free CHECK (overbooked = 0 OR free = 0);

-- What the request was told, where the change does not say it by itself: the same request again is told the same.
ALTER TABLE ledger.control_changes ADD COLUMN answer jsonb;

-- It has two parameters more now, which callers of the one before may leave out.
DROP FUNCTION IF EXISTS ledger.sku_put(jsonb, bigint);
DROP FUNCTION IF EXISTS ledger.skus_import(jsonb[], bigint[]);

-- While a sku is overbooked, the next release is the one that leaves a unit free.
CREATE OR REPLACE VIEW ledger.sku_rows AS
SELECT sku.sku_id, sku.store_id, sku.title, sku.starts_at, sku.time_zone, sku.on_sale_at, sku.off_sale_at,
  sku.per_user_limit, sku.max_per_order, sku.hold_ttl_seconds, sku.payment_required, sku.price_minor, sku.currency,
  sku.rate_per_second, sku.rate_burst, sku.paused, sku.version AS etag,
  s.capacity, s.overbooked, s.free, s.reserved, s.held, s.sold, s.version AS stock_version,
  CASE WHEN s.overbooked = 0 THEN (
    SELECT min(l.held_until) FROM ledger.order_lines AS l WHERE l.sku_id = sku.sku_id AND l.held_until IS NOT NULL
  ) ELSE (
    SELECT min(h.held_until) FROM (
      SELECT l.held_until, sum(l.quantity) OVER (ORDER BY l.held_until) AS units
      FROM ledger.order_lines AS l WHERE l.sku_id = sku.sku_id AND l.held_until IS NOT NULL
    ) AS h WHERE h.units > s.overbooked
  ) END AS next_release_at,
  sku.on_busy
FROM ledger.skus AS sku
JOIN ledger.stock AS s ON s.sku_id = sku.sku_id;
