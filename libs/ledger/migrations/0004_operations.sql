-- What is done about orders outside of them: news, money, what could not be processed, and jobs.

-- One row per change of an order's state, written in the transaction that made it. The relay takes the lowest
-- unpublished ids: a lower one may be committed later, so no place in the row of ids is ever passed for good.
CREATE TABLE ledger.outbox (
  id bigint GENERATED ALWAYS AS IDENTITY,
  order_id uuid NOT NULL,
  order_version integer NOT NULL,
  state text COLLATE "C" NOT NULL,
  at timestamptz NOT NULL,
  published_at timestamptz,
  PRIMARY KEY (order_id, order_version)
);
CREATE INDEX outbox_unpublished ON ledger.outbox (id) WHERE published_at IS NULL;

-- Captured money. CAPTURED pays a CONFIRMED order; REFUND_DUE goes back.
CREATE TABLE ledger.payments (
  provider text COLLATE "C" NOT NULL CHECK (octet_length(provider) BETWEEN 1 AND 128),
  provider_payment_id text COLLATE "C" NOT NULL CHECK (octet_length(provider_payment_id) BETWEEN 1 AND 255),
  order_id uuid NOT NULL,
  amount_minor bigint NOT NULL CHECK (amount_minor >= 0),
  currency text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state IN ('CAPTURED', 'REFUND_DUE')),
  at timestamptz NOT NULL,
  PRIMARY KEY (provider, provider_payment_id)
);
CREATE INDEX payments_by_order ON ledger.payments (order_id);

-- Messages that nobody could process, for a person to look at.
CREATE TABLE ledger.dead_letters (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  order_id uuid,
  subject text NOT NULL,
  payload bytea NOT NULL,
  error text NOT NULL,
  at timestamptz NOT NULL,
  resolved_at timestamptz
);
-- A message that is delivered again leaves one letter, until somebody has seen to it.
CREATE UNIQUE INDEX dead_letters_once ON ledger.dead_letters (subject, sha256(payload)) WHERE resolved_at IS NULL;
CREATE INDEX dead_letters_unresolved ON ledger.dead_letters (id) WHERE resolved_at IS NULL;

-- When each job runs next, shared by all schedulers.
CREATE TABLE ledger.jobs (
  name text COLLATE "C" PRIMARY KEY,
  paused boolean NOT NULL DEFAULT false,
  pause_reason text,
  next_run_at timestamptz NOT NULL,
  last_run_at timestamptz,
  last_result text,
  CONSTRAINT jobs_paused_for_a_reason CHECK (paused = (pause_reason IS NOT NULL))
);
