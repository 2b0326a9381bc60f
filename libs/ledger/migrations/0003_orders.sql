-- Orders and what they do to stock. No foreign keys: each would lock and look up a row on the way of every order, and
-- the audit checks what they would have. Nor are ids checked here again: the functions do, once a batch.

CREATE TABLE ledger.orders (
  order_id uuid PRIMARY KEY,
  store_id text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  request_id text COLLATE "C" NOT NULL,
  -- SHA-256 of the lines summed by sku and attendee and sorted: the same id with another hash is another order.
  lines_hash bytea NOT NULL,
  state text COLLATE "C" NOT NULL
    CHECK (state IN ('HELD', 'CONFIRMED', 'FULFILLED', 'CANCELLED', 'EXPIRED', 'REFUSED')),
  -- Rises by one with each change of state.
  version integer NOT NULL CHECK (version >= 1),
  refusal jsonb,
  amount_minor bigint NOT NULL CHECK (amount_minor >= 0),
  currency text COLLATE "C" NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz,
  updated_at timestamptz NOT NULL,
  cancel_reason text,
  CONSTRAINT orders_refused_say_why CHECK ((state = 'REFUSED') = (refusal IS NOT NULL)),
  CONSTRAINT orders_held_expire CHECK ((state = 'HELD') = (expires_at IS NOT NULL))
);
CREATE INDEX orders_due ON ledger.orders (expires_at) WHERE state = 'HELD';
CREATE INDEX orders_by_user ON ledger.orders (user_id, created_at, order_id);

-- What an order asked for. Its units count in stock while the order is HELD, CONFIRMED or FULFILLED.
CREATE TABLE ledger.order_lines (
  order_id uuid NOT NULL,
  sku_id text COLLATE "C" NOT NULL,
  attendee_id text COLLATE "C" NOT NULL,
  quantity integer NOT NULL CHECK (quantity > 0),
  unit_price_minor bigint NOT NULL CHECK (unit_price_minor >= 0),
  -- The order's expires_at while the hold lives, so that the next release of a sku is one look into an index.
  held_until timestamptz,
  -- The order's, for listing by sku.
  created_at timestamptz NOT NULL,
  PRIMARY KEY (order_id, sku_id, attendee_id)
);
CREATE INDEX order_lines_held ON ledger.order_lines (sku_id, held_until) WHERE held_until IS NOT NULL;
CREATE INDEX order_lines_by_sku ON ledger.order_lines (sku_id, created_at, order_id);

-- Every change of units by an order: one row for each sku and version of the order, so that it can happen only once.
CREATE TABLE ledger.movements (
  order_id uuid NOT NULL,
  sku_id text COLLATE "C" NOT NULL,
  order_version integer NOT NULL,
  delta_free integer NOT NULL,
  delta_reserved integer NOT NULL,
  delta_held integer NOT NULL,
  delta_sold integer NOT NULL,
  reason text COLLATE "C" NOT NULL,
  at timestamptz NOT NULL,
  PRIMARY KEY (order_id, sku_id, order_version),
  CONSTRAINT movements_are_conserved CHECK (delta_free::bigint + delta_reserved + delta_held + delta_sold = 0)
);

-- Units that an attendee has in live orders: what per_user_limit is compared with. Guarded by the sku's stock lock.
CREATE TABLE ledger.attendee_units (
  sku_id text COLLATE "C" NOT NULL,
  attendee_id text COLLATE "C" NOT NULL,
  units integer NOT NULL CHECK (units >= 0),
  PRIMARY KEY (sku_id, attendee_id)
) WITH (fillfactor = 80);

-- The life of an order as data: what an event does in a state. LAPSED is a HELD order past its expires_at that nobody
-- has swept yet. Effects: SELL held -> sold, RELEASE held or sold -> free (captured payments become due for refund),
-- KEEP no units move, NONE nothing happens and that is fine, REFUND nothing happens and the money goes back,
-- REFUSE the event is not allowed.
CREATE TABLE ledger.transitions (
  from_state text COLLATE "C" NOT NULL,
  event text COLLATE "C" NOT NULL CHECK (event IN ('PAY', 'CANCEL', 'EXPIRE', 'FULFIL')),
  to_state text COLLATE "C",
  effect text COLLATE "C" NOT NULL CHECK (effect IN ('SELL', 'RELEASE', 'KEEP', 'NONE', 'REFUND', 'REFUSE')),
  PRIMARY KEY (from_state, event),
  CONSTRAINT transitions_move_or_stay CHECK ((to_state IS NOT NULL) = (effect IN ('SELL', 'RELEASE', 'KEEP')))
);
INSERT INTO ledger.transitions (from_state, event, to_state, effect) VALUES
  ('HELD',      'PAY', 'CONFIRMED', 'SELL'), ('HELD',      'CANCEL', 'CANCELLED', 'RELEASE'),
  ('LAPSED',    'PAY', NULL, 'REFUND'),      ('LAPSED',    'CANCEL', 'CANCELLED', 'RELEASE'),
  ('CONFIRMED', 'PAY', NULL, 'REFUND'),      ('CONFIRMED', 'CANCEL', 'CANCELLED', 'RELEASE'),
  ('FULFILLED', 'PAY', NULL, 'REFUND'),      ('FULFILLED', 'CANCEL', NULL, 'REFUSE'),
  ('CANCELLED', 'PAY', NULL, 'REFUND'),      ('CANCELLED', 'CANCEL', NULL, 'NONE'),
  ('EXPIRED',   'PAY', NULL, 'REFUND'),      ('EXPIRED',   'CANCEL', NULL, 'NONE'),
  ('REFUSED',   'PAY', NULL, 'REFUND'),      ('REFUSED',   'CANCEL', NULL, 'NONE'),

  ('HELD',      'EXPIRE', NULL, 'NONE'),         ('HELD',      'FULFIL', NULL, 'REFUSE'),
  ('LAPSED',    'EXPIRE', 'EXPIRED', 'RELEASE'), ('LAPSED',    'FULFIL', NULL, 'REFUSE'),
  ('CONFIRMED', 'EXPIRE', NULL, 'NONE'),         ('CONFIRMED', 'FULFIL', 'FULFILLED', 'KEEP'),
  ('FULFILLED', 'EXPIRE', NULL, 'NONE'),         ('FULFILLED', 'FULFIL', NULL, 'NONE'),
  ('CANCELLED', 'EXPIRE', NULL, 'NONE'),         ('CANCELLED', 'FULFIL', NULL, 'REFUSE'),
  ('EXPIRED',   'EXPIRE', NULL, 'NONE'),         ('EXPIRED',   'FULFIL', NULL, 'REFUSE'),
  ('REFUSED',   'EXPIRE', NULL, 'NONE'),         ('REFUSED',   'FULFIL', NULL, 'REFUSE');

-- An order with its lines as the services read it.
CREATE VIEW ledger.order_rows AS
SELECT o.order_id, o.store_id, o.user_id, o.request_id, o.lines_hash, o.state, o.version, o.refusal, o.amount_minor,
  o.currency, o.created_at, o.expires_at, (
    SELECT json_agg(json_build_object('sku_id', l.sku_id, 'attendee_id', l.attendee_id, 'quantity', l.quantity,
      'unit_price_minor', l.unit_price_minor) ORDER BY l.sku_id, l.attendee_id)
    FROM ledger.order_lines AS l WHERE l.order_id = o.order_id
  ) AS lines
FROM ledger.orders AS o;

-- A sku with its stock as the services read it.
CREATE VIEW ledger.sku_rows AS
SELECT sku.sku_id, sku.store_id, sku.title, sku.starts_at, sku.time_zone, sku.on_sale_at, sku.off_sale_at,
  sku.per_user_limit, sku.max_per_order, sku.hold_ttl_seconds, sku.payment_required, sku.price_minor, sku.currency,
  sku.rate_per_second, sku.rate_burst, sku.paused, sku.version AS etag,
  s.capacity, s.overbooked, s.free, s.reserved, s.held, s.sold, s.version AS stock_version, (
    SELECT min(l.held_until) FROM ledger.order_lines AS l WHERE l.sku_id = sku.sku_id AND l.held_until IS NOT NULL
  ) AS next_release_at
FROM ledger.skus AS sku
JOIN ledger.stock AS s ON s.sku_id = sku.sku_id;
