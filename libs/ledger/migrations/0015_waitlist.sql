-- Who waits for a sku that has no unit free, in the order of their arrival.

ALTER TABLE ledger.skus
  -- What becomes of a claim when too few units are free, unless it says so itself.
  ADD COLUMN on_sold_out text COLLATE "C" NOT NULL DEFAULT 'REFUSE' CHECK (on_sold_out IN ('REFUSE', 'JOIN_WAITLIST')),
  -- Entries that wait at once.
  ADD COLUMN waitlist_max integer NOT NULL DEFAULT 100000 CHECK (waitlist_max BETWEEN 0 AND 1000000),
  -- FIRST_FIT passes over an entry that wants more than there is, at most waitlist_skips times.
  ADD COLUMN waitlist_order text COLLATE "C" NOT NULL DEFAULT 'STRICT' CHECK (waitlist_order IN ('STRICT', 'FIRST_FIT')),
  ADD COLUMN waitlist_skips integer NOT NULL DEFAULT 3 CHECK (waitlist_skips BETWEEN 0 AND 1000),
  -- Without a payment: whether an offer is an order at once, or is to be accepted.
  ADD COLUMN waitlist_accept text COLLATE "C" NOT NULL DEFAULT 'AUTO' CHECK (waitlist_accept IN ('AUTO', 'OFFER')),
  -- Null: hold_ttl_seconds.
  ADD COLUMN offer_ttl_seconds integer CHECK (offer_ttl_seconds BETWEEN 1 AND 2678400),
  ADD COLUMN waitlist_paused boolean NOT NULL DEFAULT false;

ALTER TABLE ledger.stock
  -- Entries that wait, also those that are barred.
  ADD COLUMN waiting integer NOT NULL DEFAULT 0 CHECK (waiting >= 0),
  -- The number of the last arrival; 0: nobody ever waited.
  ADD COLUMN waitlist_tail bigint NOT NULL DEFAULT 0 CHECK (waitlist_tail >= 0);
-- Sales move no column of it, so that their updates stay on the page.
CREATE INDEX stock_waited_for ON ledger.stock (sku_id) WHERE waiting > 0;

-- Units are reserved for who waits, and are free again, without an order.
ALTER TABLE ledger.stock_changes
  ADD COLUMN delta_reserved integer NOT NULL DEFAULT 0,
  DROP CONSTRAINT stock_changes_are_conserved,
  ADD CONSTRAINT stock_changes_are_conserved
    CHECK (delta_capacity::bigint + delta_overbooked = delta_free::bigint + delta_reserved);

-- One row for each who joined. Its id is the id that the request's order would have: an id is an order or an entry.
-- Guarded by the stock lock of its sku.
CREATE TABLE ledger.waitlist_entries (
  entry_id uuid PRIMARY KEY,
  store_id text COLLATE "C" NOT NULL,
  sku_id text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  request_id text COLLATE "C" NOT NULL,
  lines_hash bytea NOT NULL,
  -- [{attendee_id, quantity}], summed by attendee and sorted, and the sum of their units.
  lines jsonb NOT NULL,
  quantity integer NOT NULL CHECK (quantity > 0),
  -- Number of the arrival at the sku, from 1.
  place bigint NOT NULL,
  -- How many waited when it joined.
  joined_behind integer NOT NULL,
  state text COLLATE "C" NOT NULL
    CHECK (state IN ('WAITING', 'OFFERED', 'PROMOTED', 'EXPIRED', 'DECLINED', 'LEFT', 'ENDED')),
  -- Rises by one with each change of state.
  version integer NOT NULL CHECK (version >= 1),
  -- Why it is passed over though it keeps its place, and the attendee who has too many units, if that is why.
  barred text COLLATE "C" CHECK (barred IN ('LIMIT_REACHED', 'MAX_PER_ORDER', 'NOT_ENOUGH')),
  barred_attendee_id text COLLATE "C",
  -- How often a smaller one was served before it.
  skipped integer NOT NULL DEFAULT 0,
  -- Of the offer.
  order_id uuid,
  joined_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  left_reason text,
  UNIQUE (sku_id, place)
);
CREATE UNIQUE INDEX waitlist_entries_once ON ledger.waitlist_entries (user_id, sku_id)
  WHERE state IN ('WAITING', 'OFFERED');
CREATE INDEX waitlist_entries_next ON ledger.waitlist_entries (sku_id, place) WHERE state = 'WAITING' AND barred IS NULL;
CREATE INDEX waitlist_entries_barred ON ledger.waitlist_entries (sku_id, barred_attendee_id)
  WHERE state = 'WAITING' AND barred IS NOT NULL;

-- How many wait in each block of 100^level arrivals of a sku, so that a place in line is a sum of few rows.
CREATE TABLE ledger.waitlist_counts (
  sku_id text COLLATE "C" NOT NULL,
  level integer NOT NULL CHECK (level BETWEEN 1 AND 4),
  block bigint NOT NULL,
  waiting integer NOT NULL CHECK (waiting >= 0),
  PRIMARY KEY (sku_id, level, block)
) WITH (fillfactor = 50);

-- An entry as the services read it.
CREATE FUNCTION ledger.waitlist_ahead(of_sku text, of_place bigint) RETURNS int LANGUAGE sql STABLE AS 'SELECT 0';
CREATE VIEW ledger.waitlist_rows AS
SELECT e.entry_id, e.store_id, e.sku_id, e.user_id, e.request_id, e.lines, e.quantity, e.place, e.joined_behind, e.state,
  e.version, e.barred, e.order_id, e.joined_at, e.updated_at, e.left_reason,
  CASE WHEN e.state = 'WAITING' THEN ledger.waitlist_ahead(e.sku_id, e.place) END AS people_ahead, o.expires_at
FROM ledger.waitlist_entries AS e LEFT JOIN ledger.orders AS o ON o.order_id = e.order_id;

-- With the columns that skus have now.
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

-- They have one parameter or column more now.
DROP FUNCTION IF EXISTS ledger.outbox_take(int);
DROP FUNCTION IF EXISTS ledger.dead_letter_replay(bigint, text, text, text, text[], int[], text[], uuid[], text[], text[],
  text[], int[], bytea[], timestamptz[], boolean[], int[], int[], int[]);
DROP FUNCTION IF EXISTS ledger.claims_admit(text[], int[], text[], uuid[], text[], text[], text[], int[], bytea[],
  timestamptz[], boolean[], int[], int[], int[]);
DROP FUNCTION IF EXISTS ledger.claims_validate(text[], int[], text[], uuid[], text[], text[], text[], int[], bytea[],
  timestamptz[], boolean[], int[], int[], int[]);
