-- The whole life of an order: what changes it beside its state, and every coin that came for it.

ALTER TABLE ledger.orders
  -- The entry of the waitlist that it was offered to.
  ADD COLUMN entry_id uuid,
  -- What is shown where the order is fulfilled: 8 characters, from when it is CONFIRMED.
  ADD COLUMN code text COLLATE "C",
  ADD COLUMN fulfilled_at timestamptz,
  ADD COLUMN extended_at timestamptz;
CREATE UNIQUE INDEX orders_by_code ON ledger.orders (store_id, code) WHERE code IS NOT NULL;

-- Who changed an order, and why, where the change does not say it by itself. The same request changes once.
CREATE TABLE ledger.order_changes (
  order_id uuid NOT NULL,
  order_version integer NOT NULL,
  verb text COLLATE "C" NOT NULL,
  changed_by text COLLATE "C" NOT NULL,
  note text,
  request_id text COLLATE "C",
  at timestamptz NOT NULL,
  PRIMARY KEY (order_id, order_version)
);
CREATE UNIQUE INDEX order_changes_once ON ledger.order_changes (order_id, request_id) WHERE request_id IS NOT NULL;

-- For listing. It is partial, though over all rows, so that only a query that says so uses it: a plan made on the empty table
-- would look up a movement of one order here, among all of its sku.
CREATE INDEX movements_by_sku ON ledger.movements (sku_id, at, order_id, order_version) WHERE reason <> '';

ALTER TABLE ledger.skus
  -- What becomes of money that comes after its order ended.
  ADD COLUMN late_payment text COLLATE "C" NOT NULL DEFAULT 'RETAKE_IF_FREE'
    CHECK (late_payment IN ('RETAKE_IF_FREE', 'REFUND')),
  -- Until how long before starts_at a user may cancel what is confirmed and gets the money back; null: until the end.
  ADD COLUMN free_cancel_seconds integer CHECK (free_cancel_seconds BETWEEN 0 AND 31622400),
  ADD COLUMN late_cancel text COLLATE "C" NOT NULL DEFAULT 'REFUSE' CHECK (late_cancel IN ('REFUSE', 'NO_REFUND'));

-- ACCEPT: an offer that costs nothing is taken. PAY_IN_TIME: money that was captured before the hold lapsed. RETAKE: late
-- money finds units free.
ALTER TABLE ledger.transitions
  DROP CONSTRAINT transitions_event_check,
  DROP CONSTRAINT transitions_effect_check,
  DROP CONSTRAINT transitions_move_or_stay,
  ADD CONSTRAINT transitions_event_check
    CHECK (event IN ('PAY', 'PAY_IN_TIME', 'ACCEPT', 'RETAKE', 'CANCEL', 'EXPIRE', 'FULFIL')),
  -- RETAKE: free -> sold.
  ADD CONSTRAINT transitions_effect_check
    CHECK (effect IN ('SELL', 'RETAKE', 'RELEASE', 'KEEP', 'NONE', 'REFUND', 'REFUSE')),
  ADD CONSTRAINT transitions_move_or_stay
    CHECK ((to_state IS NOT NULL) = (effect IN ('SELL', 'RETAKE', 'RELEASE', 'KEEP')));
INSERT INTO ledger.transitions (from_state, event, to_state, effect) VALUES
  ('HELD',      'PAY_IN_TIME', 'CONFIRMED', 'SELL'), ('HELD',      'ACCEPT', 'CONFIRMED', 'SELL'),
  ('LAPSED',    'PAY_IN_TIME', 'CONFIRMED', 'SELL'), ('LAPSED',    'ACCEPT', NULL, 'REFUSE'),
  ('CONFIRMED', 'PAY_IN_TIME', NULL, 'REFUND'),      ('CONFIRMED', 'ACCEPT', NULL, 'NONE'),
  ('FULFILLED', 'PAY_IN_TIME', NULL, 'REFUND'),      ('FULFILLED', 'ACCEPT', NULL, 'NONE'),
  ('CANCELLED', 'PAY_IN_TIME', NULL, 'REFUND'),      ('CANCELLED', 'ACCEPT', NULL, 'REFUSE'),
  ('EXPIRED',   'PAY_IN_TIME', NULL, 'REFUND'),      ('EXPIRED',   'ACCEPT', NULL, 'REFUSE'),
  ('REFUSED',   'PAY_IN_TIME', NULL, 'REFUND'),      ('REFUSED',   'ACCEPT', NULL, 'REFUSE'),

  ('HELD',      'RETAKE', NULL, 'REFUSE'),
  ('LAPSED',    'RETAKE', NULL, 'REFUSE'),
  ('CONFIRMED', 'RETAKE', NULL, 'REFUSE'),
  ('FULFILLED', 'RETAKE', NULL, 'REFUSE'),
  ('CANCELLED', 'RETAKE', 'CONFIRMED', 'RETAKE'),
  ('EXPIRED',   'RETAKE', 'CONFIRMED', 'RETAKE'),
  ('REFUSED',   'RETAKE', NULL, 'REFUSE');

-- ORDER: a change of an order, order_version its version. REFUND: money to give back, order_version the refund's number.
-- WAITLIST: a change of an entry of the waitlist, order_id the entry's id, order_version its version.
ALTER TABLE ledger.outbox
  ADD COLUMN kind text COLLATE "C" NOT NULL DEFAULT 'ORDER' CHECK (kind IN ('ORDER', 'WAITLIST', 'REFUND')),
  DROP CONSTRAINT outbox_pkey,
  ADD CONSTRAINT outbox_pkey PRIMARY KEY (order_id, kind, order_version);

-- Tries of a user to pay. The provider's session of each is made outside of any transaction.
CREATE TABLE ledger.payment_attempts (
  order_id uuid NOT NULL,
  attempt integer NOT NULL CHECK (attempt >= 1),
  provider text COLLATE "C" NOT NULL CHECK (octet_length(provider) BETWEEN 1 AND 128),
  request_id text COLLATE "C" NOT NULL,
  -- What the provider called it, what its page needs, and where the page is; null until the provider answered.
  session_id text COLLATE "C",
  parameters jsonb,
  url text,
  -- The order's expires_at: later money is late.
  ends_at timestamptz NOT NULL,
  -- CAPTURED: money came. FAILED: the provider said no. ENDED: the order went another way.
  state text COLLATE "C" NOT NULL CHECK (state IN ('OPEN', 'CAPTURED', 'FAILED', 'ENDED')),
  failure text,
  created_at timestamptz NOT NULL,
  -- When the provider was told that nobody pays there any more.
  session_ended_at timestamptz,
  PRIMARY KEY (order_id, attempt)
);
CREATE UNIQUE INDEX payment_attempts_open ON ledger.payment_attempts (order_id) WHERE state = 'OPEN';
CREATE UNIQUE INDEX payment_attempts_by_request ON ledger.payment_attempts (order_id, request_id);
CREATE UNIQUE INDEX payment_attempts_by_session ON ledger.payment_attempts (provider, session_id)
  WHERE session_id IS NOT NULL;
CREATE INDEX payment_attempts_to_end ON ledger.payment_attempts (order_id, attempt)
  WHERE state = 'ENDED' AND session_id IS NOT NULL AND session_ended_at IS NULL;

-- Captured money is in one of these states:
--   CAPTURED    it pays its order, or its order is not known yet (UNKNOWN_ORDER)
--   REFUND_DUE  what is left of it goes back: a refund is asked for
--   REFUNDED    it went back
--   RETAINED    it is kept though it pays no order: cancelled too late, or written off by an operator
-- FAILED is a payment that the provider began and gave up: no money.
ALTER TABLE ledger.payments
  ADD COLUMN store_id text COLLATE "C" NOT NULL DEFAULT '',
  -- Counts the payments of an order from 1.
  ADD COLUMN number integer NOT NULL DEFAULT 1,
  ADD COLUMN attempt integer,
  -- What a person may want to look at; stays when it is settled.
  ADD COLUMN issue text COLLATE "C" CHECK (issue IN ('WRONG_AMOUNT', 'WRONG_CURRENCY', 'LATE', 'ALREADY_PAID',
    'ORDER_ENDED', 'UNKNOWN_ORDER', 'CONTRADICTED')),
  -- By the provider's clock; null: it did not say.
  ADD COLUMN captured_at timestamptz,
  -- Of the amount, what is not given back when the order ends.
  ADD COLUMN retained_minor bigint NOT NULL DEFAULT 0,
  ADD COLUMN settled_at timestamptz,
  ADD COLUMN settled_by text,
  ADD COLUMN settled_reason text,
  DROP CONSTRAINT payments_state_check,
  ADD CONSTRAINT payments_state_check
    CHECK (state IN ('CAPTURED', 'REFUND_DUE', 'REFUNDED', 'RETAINED', 'FAILED')),
  ADD CONSTRAINT payments_retained_of_amount CHECK (retained_minor BETWEEN 0 AND amount_minor),
  ADD CONSTRAINT payments_settled_by_somebody CHECK (num_nulls(settled_at, settled_by, settled_reason) IN (0, 3));
UPDATE ledger.payments AS p SET store_id = o.store_id, number = n.number
FROM (
  SELECT p.provider, p.provider_payment_id, row_number() OVER (
    PARTITION BY p.order_id ORDER BY p.at, p.provider, p.provider_payment_id) AS number
  FROM ledger.payments AS p
) AS n, ledger.orders AS o
WHERE n.provider = p.provider AND n.provider_payment_id = p.provider_payment_id AND o.order_id = p.order_id;
CREATE INDEX payments_by_store ON ledger.payments (store_id, at);
CREATE INDEX payments_issues ON ledger.payments (at, provider, provider_payment_id)
  WHERE issue IS NOT NULL AND settled_at IS NULL;
CREATE INDEX payments_parked ON ledger.payments (order_id) WHERE issue = 'UNKNOWN_ORDER' AND state = 'CAPTURED';

-- Money to give back: one request each, told once by the outbox. WITHDRAWN: an operator decided otherwise.
CREATE TABLE ledger.refunds (
  order_id uuid NOT NULL,
  number integer NOT NULL CHECK (number >= 1),
  provider text COLLATE "C" NOT NULL,
  provider_payment_id text COLLATE "C" NOT NULL,
  amount_minor bigint NOT NULL CHECK (amount_minor > 0),
  reason text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state IN ('DUE', 'DONE', 'WITHDRAWN')),
  due_at timestamptz NOT NULL,
  refund_id text COLLATE "C",
  refunded_at timestamptz,
  PRIMARY KEY (order_id, number),
  CONSTRAINT refunds_done_by_the_provider
    CHECK ((state = 'DONE') = (refund_id IS NOT NULL) AND (state = 'DONE') = (refunded_at IS NOT NULL))
);
CREATE INDEX refunds_by_payment ON ledger.refunds (provider, provider_payment_id);
CREATE UNIQUE INDEX refunds_once ON ledger.refunds (provider, refund_id) WHERE refund_id IS NOT NULL;

-- What was due before is asked for from now on.
INSERT INTO ledger.refunds (order_id, number, provider, provider_payment_id, amount_minor, reason, state, due_at)
SELECT p.order_id, row_number() OVER (PARTITION BY p.order_id ORDER BY p.at, p.provider, p.provider_payment_id),
  p.provider, p.provider_payment_id, p.amount_minor, 'DUE_EARLIER', 'DUE', p.at
FROM ledger.payments AS p WHERE p.state = 'REFUND_DUE' AND p.amount_minor > 0;
INSERT INTO ledger.outbox (kind, order_id, order_version, state, at)
SELECT 'REFUND', r.order_id, r.number, 'REFUND_DUE', r.due_at FROM ledger.refunds AS r;
UPDATE ledger.payments SET state = 'RETAINED' WHERE state = 'REFUND_DUE' AND amount_minor = 0;

CREATE OR REPLACE VIEW ledger.order_rows AS
SELECT o.order_id, o.store_id, o.user_id, o.request_id, o.lines_hash, o.state, o.version, o.refusal, o.amount_minor,
  o.currency, o.created_at, o.expires_at, (
    SELECT json_agg(json_build_object('sku_id', l.sku_id, 'attendee_id', l.attendee_id, 'quantity', l.quantity,
      'unit_price_minor', l.unit_price_minor) ORDER BY l.sku_id, l.attendee_id)
    FROM ledger.order_lines AS l WHERE l.order_id = o.order_id
  ) AS lines,
  o.entry_id, o.code, o.fulfilled_at, o.extended_at
FROM ledger.orders AS o;

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
  sku.on_busy, sku.late_payment, sku.free_cancel_seconds, sku.late_cancel
FROM ledger.skus AS sku
JOIN ledger.stock AS s ON s.sku_id = sku.sku_id;

-- Their arguments or results are others from now on.
DROP FUNCTION IF EXISTS ledger.outbox_take(int);
DROP FUNCTION IF EXISTS ledger.order_cancel(uuid, text, text);
DROP FUNCTION IF EXISTS ledger.payment_confirm(uuid, text, text, bigint, text);
