-- What operators switch, and a row for everything that they change: who, when, why.

-- A scope's own word; AUTO, also by expiry, is none. The narrowest scope that has one decides.
CREATE TABLE ledger.switches (
  switch text COLLATE "C" NOT NULL CHECK (switch IN ('STOCK_PATH', 'ORDER_PATH')),
  scope text COLLATE "C" NOT NULL CHECK (scope IN ('ALL', 'STORE', 'SKU')),
  -- The store or the sku; empty: ALL.
  scope_id text COLLATE "C" NOT NULL CHECK ((scope_id = '') = (scope = 'ALL')),
  setting text COLLATE "C" NOT NULL,
  -- Rises by one with each change.
  version bigint NOT NULL CHECK (version >= 1),
  reason text NOT NULL,
  set_by text NOT NULL,
  set_at timestamptz NOT NULL,
  expires_at timestamptz,
  PRIMARY KEY (switch, scope, scope_id),
  CONSTRAINT switches_know_their_settings CHECK (
    CASE switch WHEN 'STOCK_PATH' THEN setting IN ('AUTO', 'REDIS', 'POSTGRES')
      ELSE setting IN ('AUTO', 'STREAM', 'DIRECT') AND scope = 'ALL' END),
  CONSTRAINT switches_auto_does_not_expire CHECK (setting <> 'AUTO' OR expires_at IS NULL)
);

CREATE TABLE ledger.control_changes (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- STOCK_PATH, ORDER_PATH, PAUSE, RESUME, CAPACITY, RECONCILE, DEAD_LETTER or ALERT.
  what text COLLATE "C" NOT NULL,
  scope text COLLATE "C" NOT NULL,
  scope_id text COLLATE "C" NOT NULL,
  -- As it was and as it became, in words.
  was text NOT NULL,
  became text NOT NULL,
  reason text NOT NULL CHECK (reason <> ''),
  changed_by text NOT NULL,
  changed_at timestamptz NOT NULL,
  -- Of a switch.
  version bigint,
  expires_at timestamptz,
  -- The same request changes once.
  request_id text COLLATE "C" NOT NULL,
  UNIQUE (what, request_id)
);
CREATE INDEX control_changes_by_scope ON ledger.control_changes (scope, scope_id, id);
