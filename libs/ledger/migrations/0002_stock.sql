-- What is for sale and where its units are. Ids compare by their bytes, so that SQL and TypeScript sort alike.

-- A sku's description and terms. Changes when an operator says so; never on the way of an order.
CREATE TABLE ledger.skus (
  sku_id text COLLATE "C" PRIMARY KEY CHECK (sku_id ~ '^[!-~]+$' AND octet_length(sku_id) <= 128),
  store_id text COLLATE "C" NOT NULL CHECK (store_id ~ '^[!-~]+$' AND octet_length(store_id) <= 128),
  title text NOT NULL,
  starts_at timestamptz,
  time_zone text NOT NULL,
  on_sale_at timestamptz,
  off_sale_at timestamptz,
  per_user_limit integer NOT NULL CHECK (per_user_limit BETWEEN 1 AND 1000000),
  max_per_order integer NOT NULL CHECK (max_per_order BETWEEN 1 AND 1000000),
  hold_ttl_seconds integer NOT NULL CHECK (hold_ttl_seconds BETWEEN 1 AND 2678400),
  payment_required boolean NOT NULL,
  price_minor bigint NOT NULL CHECK (price_minor >= 0),
  currency text COLLATE "C" NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  rate_per_second integer NOT NULL CHECK (rate_per_second >= 1),
  rate_burst integer NOT NULL CHECK (rate_burst >= 1),
  paused boolean NOT NULL,
  -- The etag: rises by one with each change of this row.
  version bigint NOT NULL CHECK (version >= 1),
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT skus_slot_has_time_zone CHECK (starts_at IS NULL OR time_zone <> ''),
  CONSTRAINT skus_opens_before_it_closes CHECK (on_sale_at < least(off_sale_at, starts_at)),
  -- 100 lines of an order at the most expensive stay below 2^53, so that an amount is exact in JavaScript.
  CONSTRAINT skus_amount_is_exact CHECK (price_minor::numeric * max_per_order <= 90000000000000)
);
CREATE INDEX skus_by_store ON ledger.skus (store_id, sku_id);
CREATE INDEX skus_by_opening ON ledger.skus (on_sale_at) WHERE on_sale_at IS NOT NULL;

-- One narrow row per sku, the one that everybody fights for. No index but the key and room in the page: an update
-- stays on its page and touches no index. Whoever changes units or terms of a sku locks this row first.
CREATE TABLE ledger.stock (
  sku_id text COLLATE "C" PRIMARY KEY,
  store_id text COLLATE "C" NOT NULL,
  capacity integer NOT NULL CHECK (capacity BETWEEN 0 AND 1000000000),
  overbooked integer NOT NULL CHECK (overbooked BETWEEN 0 AND 1000000000),
  free integer NOT NULL CHECK (free >= 0),
  reserved integer NOT NULL CHECK (reserved >= 0),
  held integer NOT NULL CHECK (held >= 0),
  sold integer NOT NULL CHECK (sold >= 0),
  -- Rises by one with each change of units or terms: what a copy of this row is compared by.
  version bigint NOT NULL CHECK (version >= 1),
  CONSTRAINT stock_is_conserved CHECK (capacity::bigint + overbooked = free::bigint + reserved + held + sold)
) WITH (fillfactor = 50);

-- Changes of a sku's size, one row each: with the movements they add up to every term of its stock.
CREATE TABLE ledger.stock_changes (
  sku_id text COLLATE "C" NOT NULL,
  stock_version bigint NOT NULL,
  delta_capacity integer NOT NULL,
  delta_overbooked integer NOT NULL,
  delta_free integer NOT NULL,
  reason text NOT NULL,
  at timestamptz NOT NULL,
  PRIMARY KEY (sku_id, stock_version),
  CONSTRAINT stock_changes_are_conserved CHECK (delta_capacity::bigint + delta_overbooked = delta_free)
);
