-- What a person should look at. One alert of a kind and subject is open at a time; seen again, it is the same one.
CREATE TABLE ledger.alerts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('OVERSOLD', 'DRIFT', 'DEAD_LETTER', 'STALLED_CONSUMER', 'BREAKER_OPEN',
    'EXPIRY_LATE', 'OUTBOX_LATE', 'MONEY_UNACCOUNTED')),
  -- A sku, an instance, a shard, a letter: what it is about.
  subject text COLLATE "C" NOT NULL,
  sku_id text COLLATE "C",
  facts jsonb NOT NULL,
  -- The command that looks closer, or mends it.
  command text NOT NULL,
  first_seen_at timestamptz NOT NULL,
  last_seen_at timestamptz NOT NULL,
  times_seen integer NOT NULL CHECK (times_seen >= 1),
  cleared_at timestamptz,
  cleared_by text,
  cleared_reason text,
  -- Of the operator who cleared it.
  cleared_request_id text COLLATE "C",
  -- What the relay has told: nothing, that it was raised, that it was cleared.
  told text COLLATE "C" NOT NULL DEFAULT 'NOTHING' CHECK (told IN ('NOTHING', 'RAISED', 'CLEARED')),
  CONSTRAINT alerts_cleared_by_somebody CHECK ((cleared_at IS NULL) = (cleared_by IS NULL))
);
CREATE UNIQUE INDEX alerts_open ON ledger.alerts (kind, subject) WHERE cleared_at IS NULL;
CREATE INDEX alerts_by_last_seen ON ledger.alerts (last_seen_at, id);
CREATE INDEX alerts_open_by_last_seen ON ledger.alerts (last_seen_at, id) WHERE cleared_at IS NULL;
CREATE INDEX alerts_untold ON ledger.alerts (id) WHERE told = 'NOTHING' OR (told = 'RAISED' AND cleared_at IS NOT NULL);
