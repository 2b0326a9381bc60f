-- Where the events of a store are sent, and what became of each of them. One endpoint is sent one event at a time, in the
-- order of `sequence`, by whoever holds its lease.
CREATE TABLE ledger.webhook_endpoints (
  endpoint_id text COLLATE "C" PRIMARY KEY,
  store_id text COLLATE "C" NOT NULL CHECK (octet_length(store_id) BETWEEN 1 AND 128),
  url text NOT NULL CHECK (octet_length(url) BETWEEN 1 AND 2048),
  -- Such as order.confirmed, or order.*; none: all.
  event_types text[] NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state IN ('ACTIVE', 'PAUSED', 'DISABLED')),
  state_reason text NOT NULL DEFAULT '',
  -- The first failure after the last success.
  failing_since timestamptz,
  -- Rises with each claim: what a sender says under an older number is not heard.
  lease bigint NOT NULL DEFAULT 0,
  leased_until timestamptz,
  -- Of whoever created it: again the same is the same endpoint.
  request_id text COLLATE "C" NOT NULL UNIQUE,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE INDEX webhook_endpoints_by_store ON ledger.webhook_endpoints (store_id, endpoint_id);

-- What webhooks are signed with. The services get it from the functions only.
CREATE TABLE ledger.webhook_secrets (
  endpoint_id text COLLATE "C" PRIMARY KEY REFERENCES ledger.webhook_endpoints ON DELETE CASCADE,
  secret text NOT NULL,
  previous text,
  previous_until timestamptz,
  -- Of the last rotation.
  request_id text COLLATE "C" NOT NULL,
  CONSTRAINT webhook_secrets_previous_ends CHECK ((previous IS NULL) = (previous_until IS NULL))
);
REVOKE ALL ON ledger.webhook_secrets FROM holdfast_runtime;

CREATE TABLE ledger.webhook_deliveries (
  sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  endpoint_id text COLLATE "C" NOT NULL REFERENCES ledger.webhook_endpoints ON DELETE CASCADE,
  event_id text COLLATE "C" NOT NULL,
  event_type text NOT NULL,
  payload text NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state IN ('DUE', 'DELIVERED', 'FAILED')),
  attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  created_at timestamptz NOT NULL,
  next_attempt_at timestamptz,
  last_attempt_at timestamptz,
  -- Null: there was no answer.
  last_status integer,
  last_error text NOT NULL DEFAULT '',
  CONSTRAINT webhook_deliveries_once UNIQUE (endpoint_id, event_id),
  CONSTRAINT webhook_deliveries_due CHECK ((state = 'DUE') = (next_attempt_at IS NOT NULL))
);
CREATE INDEX webhook_deliveries_due ON ledger.webhook_deliveries (endpoint_id, sequence) WHERE state = 'DUE';
CREATE INDEX webhook_deliveries_failed ON ledger.webhook_deliveries (endpoint_id, sequence) WHERE state = 'FAILED';
CREATE INDEX webhook_deliveries_by_endpoint ON ledger.webhook_deliveries (endpoint_id, sequence);
CREATE INDEX webhook_deliveries_over ON ledger.webhook_deliveries (created_at) WHERE state <> 'DUE';

ALTER TABLE ledger.alerts DROP CONSTRAINT alerts_kind_check, ADD CONSTRAINT alerts_kind_check CHECK (kind IN ('OVERSOLD',
  'DRIFT', 'DEAD_LETTER', 'STALLED_CONSUMER', 'BREAKER_OPEN', 'EXPIRY_LATE', 'OUTBOX_LATE', 'MONEY_UNACCOUNTED',
  'WEBHOOK_DISABLED'));
