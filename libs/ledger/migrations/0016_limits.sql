-- What one person may have beyond one sku: over a store, over a group of its skus, and in orders at once.

ALTER TABLE ledger.store_limits
  -- Units that one attendee may have of all skus of the store, used ones too.
  ADD COLUMN per_attendee_limit integer CHECK (per_attendee_limit BETWEEN 1 AND 1000000),
  -- Orders of one user that are to be paid, and orders that are to be paid or used.
  ADD COLUMN open_orders_per_user integer CHECK (open_orders_per_user BETWEEN 1 AND 1000000),
  ADD COLUMN unfulfilled_per_user integer CHECK (unfulfilled_per_user BETWEEN 1 AND 1000000);

-- The group whose limit holds for the sku, too.
ALTER TABLE ledger.skus ADD COLUMN limit_group text COLLATE "C"
  CHECK (limit_group ~ '^[!-~]+$' AND octet_length(limit_group) <= 128);
CREATE INDEX skus_by_limit_group ON ledger.skus (store_id, limit_group, sku_id) WHERE limit_group IS NOT NULL;

CREATE TABLE ledger.group_limits (
  store_id text COLLATE "C" NOT NULL CHECK (store_id ~ '^[!-~]+$' AND octet_length(store_id) <= 128),
  group_id text COLLATE "C" NOT NULL CHECK (group_id ~ '^[!-~]+$' AND octet_length(group_id) <= 128),
  -- Units that one attendee may have of all skus of the group, used ones too.
  per_attendee_limit integer NOT NULL CHECK (per_attendee_limit BETWEEN 1 AND 1000000),
  PRIMARY KEY (store_id, group_id)
);

-- One row for each person whose units or orders are counted beyond one sku: whoever gives them some locks it, after the
-- skus, in the order of the rows. attendee_id is a user's id where orders are counted. Holds no figures: they are read
-- where they are kept, under this lock.
CREATE TABLE ledger.attendee_limits (
  store_id text COLLATE "C" NOT NULL,
  attendee_id text COLLATE "C" NOT NULL,
  -- While the store has a per_attendee_limit: every sku of it that the attendee has units of, and maybe others.
  sku_ids text[] COLLATE "C" NOT NULL DEFAULT '{}',
  PRIMARY KEY (store_id, attendee_id)
) WITH (fillfactor = 80);

DROP FUNCTION IF EXISTS ledger.limits_set(text, text, int, int, boolean, text, boolean);

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
