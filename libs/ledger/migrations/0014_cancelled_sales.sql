-- Sales that an operator cancelled: nobody buys any more, and what was bought is given back, a batch at a time.

ALTER TABLE ledger.skus
  -- From then on nobody is given a unit, for good.
  ADD COLUMN cancelled_at timestamptz;

CREATE TABLE ledger.cancelled_sales (
  sku_id text COLLATE "C" PRIMARY KEY,
  -- Why, in words; its orders are cancelled with it.
  reason text NOT NULL,
  cancelled_at timestamptz NOT NULL,
  -- The last of its orders that was looked at, in the order of their creation.
  after_at timestamptz NOT NULL DEFAULT '-infinity',
  after_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  orders_cancelled integer NOT NULL DEFAULT 0 CHECK (orders_cancelled >= 0),
  -- When all of its orders had been looked at.
  done_at timestamptz
);
CREATE INDEX cancelled_sales_open ON ledger.cancelled_sales (cancelled_at, sku_id) WHERE done_at IS NULL;

-- All that a sku has, whatever it is given.
DROP VIEW ledger.sku_rows;
CREATE VIEW ledger.sku_rows AS
SELECT sku.*, sku.version AS etag,
  s.capacity, s.overbooked, s.free, s.reserved, s.held, s.sold, s.version AS stock_version,
  CASE WHEN s.overbooked = 0 THEN (
    SELECT min(l.held_until) FROM ledger.order_lines AS l WHERE l.sku_id = sku.sku_id AND l.held_until IS NOT NULL
  ) ELSE (
    SELECT min(h.held_until) FROM (
      SELECT l.held_until, sum(l.quantity) OVER (ORDER BY l.held_until) AS units
      FROM ledger.order_lines AS l WHERE l.sku_id = sku.sku_id AND l.held_until IS NOT NULL
    ) AS h WHERE h.units > s.overbooked
  ) END AS next_release_at
FROM ledger.skus AS sku
JOIN ledger.stock AS s ON s.sku_id = sku.sku_id;
