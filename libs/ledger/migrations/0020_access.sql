-- What gateways answered to whom, for those who ask why. Nothing depends on it: rows may be missing, and go after some days.
CREATE TABLE ledger.access_records (
  -- When it came, and after how many ms it was answered.
  at timestamptz NOT NULL,
  took_ms integer NOT NULL CHECK (took_ms >= 0),
  store_id text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  sku_ids text[] COLLATE "C" NOT NULL,
  request_id text COLLATE "C" NOT NULL,
  -- The id that its order, or its entry of a waitlist, has if there is one.
  order_id uuid NOT NULL,
  -- The state of the order, PENDING, QUEUED, WAITING, or the reason of the refusal or fault.
  answer text COLLATE "C" NOT NULL,
  is_replay boolean NOT NULL,
  -- For how many of its kind it stands.
  weight double precision NOT NULL CHECK (weight >= 1),
  -- The gateway.
  instance text COLLATE "C" NOT NULL
);
CREATE INDEX access_records_by_user ON ledger.access_records (user_id, at);
CREATE INDEX access_records_by_request ON ledger.access_records (request_id);
-- Rows come nearly in the order of time, and are deleted by it: a few pages say which block has which times.
CREATE INDEX access_records_by_time ON ledger.access_records USING brin (at) WITH (pages_per_range = 16, autosummarize = on);

-- Whoever is explained may have left a waitlist long ago.
CREATE INDEX waitlist_entries_by_user ON ledger.waitlist_entries (user_id, sku_id);
