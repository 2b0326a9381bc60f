-- How many requests for a sku the edge lets through: the sku's own, else its store's, else what the edge is configured
-- with. The ledger keeps them and obeys none of them.
ALTER TABLE ledger.skus
  ALTER COLUMN rate_per_second DROP NOT NULL,
  ALTER COLUMN rate_burst DROP NOT NULL,
  -- What becomes of a request beyond the limit.
  ADD COLUMN on_busy text COLLATE "C" NOT NULL DEFAULT 'QUEUE' CHECK (on_busy IN ('QUEUE', 'FAIL')),
  ADD CONSTRAINT skus_rate_has_burst CHECK ((rate_per_second IS NULL) = (rate_burst IS NULL));

-- What a store sets for all its skus. A store may set it before it has any.
CREATE TABLE ledger.store_limits (
  store_id text COLLATE "C" PRIMARY KEY CHECK (store_id ~ '^[!-~]+$' AND octet_length(store_id) <= 128),
  rate_per_second integer CHECK (rate_per_second BETWEEN 1 AND 1000000),
  rate_burst integer CHECK (rate_burst BETWEEN 1 AND 1000000),
  -- Only request ids that were issued for the user and the sku are taken.
  require_issued_request_id boolean NOT NULL,
  -- Rises by one with each change of this row.
  version bigint NOT NULL CHECK (version >= 1),
  updated_at timestamptz NOT NULL,
  CONSTRAINT store_limits_rate_has_burst CHECK ((rate_per_second IS NULL) = (rate_burst IS NULL))
);

CREATE OR REPLACE VIEW ledger.sku_rows AS
SELECT sku.sku_id, sku.store_id, sku.title, sku.starts_at, sku.time_zone, sku.on_sale_at, sku.off_sale_at,
  sku.per_user_limit, sku.max_per_order, sku.hold_ttl_seconds, sku.payment_required, sku.price_minor, sku.currency,
  sku.rate_per_second, sku.rate_burst, sku.paused, sku.version AS etag,
  s.capacity, s.overbooked, s.free, s.reserved, s.held, s.sold, s.version AS stock_version, (
    SELECT min(l.held_until) FROM ledger.order_lines AS l WHERE l.sku_id = sku.sku_id AND l.held_until IS NOT NULL
  ) AS next_release_at,
  sku.on_busy
FROM ledger.skus AS sku
JOIN ledger.stock AS s ON s.sku_id = sku.sku_id;
