-- Looks at whether everything fits together: what was found, what was done about it, and when each sku was looked at.

-- The number of the newest look. Whatever a look writes carries its own: a process that lost the lock and does not know
-- it yet writes nothing after a newer look has begun. One row.
CREATE TABLE ledger.reconcile_fence (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  fence bigint NOT NULL
);
INSERT INTO ledger.reconcile_fence (fence) VALUES (0);

CREATE TABLE ledger.reconcile_plans (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- CLEAN: there is nothing that a person should decide. STALE: apply found things otherwise.
  state text COLLATE "C" NOT NULL CHECK (state IN ('OPEN', 'APPLIED', 'STALE', 'CLEAN')),
  fence bigint NOT NULL UNIQUE,
  made_at timestamptz NOT NULL,
  made_by text NOT NULL,
  -- The same request again is answered with the plan that it made.
  request_id text COLLATE "C" NOT NULL UNIQUE,
  skus integer NOT NULL,
  orders bigint NOT NULL,
  -- Also those that are not kept, and of all of them those that mended themselves.
  findings_count integer NOT NULL,
  mended integer NOT NULL,
  applied_at timestamptz,
  applied_by text,
  CONSTRAINT reconcile_plans_applied_by_somebody CHECK ((state = 'APPLIED') = (applied_at IS NOT NULL)
    AND (applied_at IS NULL) = (applied_by IS NULL))
);
CREATE INDEX reconcile_plans_by_made ON ledger.reconcile_plans (made_at) WHERE state <> 'APPLIED';

-- What a plan found, in order.
CREATE TABLE ledger.reconcile_findings (
  plan_id bigint NOT NULL,
  place integer NOT NULL,
  kind text COLLATE "C" NOT NULL,
  sku_id text COLLATE "C",
  order_id uuid,
  -- The figures. What is the same again in a later look, although units move, is in `differs`.
  detail jsonb NOT NULL,
  -- What apply does about it; empty: nothing.
  remedy text NOT NULL,
  mended boolean NOT NULL,
  PRIMARY KEY (plan_id, place)
);

-- Which stock of a sku was looked at last, and since when.
CREATE TABLE ledger.reconciled (
  sku_id text COLLATE "C" PRIMARY KEY,
  stock_version bigint NOT NULL,
  at timestamptz NOT NULL
) WITH (fillfactor = 80);

-- A plan as it is now: what is too old to be applied is stale.
CREATE VIEW ledger.reconcile_plan_rows AS
SELECT p.id, CASE WHEN p.state = 'OPEN' AND p.made_at < clock_timestamp() - interval '15 minutes' THEN 'STALE'
    ELSE p.state END AS state,
  p.made_at, p.made_by, p.request_id, p.skus, p.orders, p.findings_count, p.mended, p.applied_at, p.applied_by
FROM ledger.reconcile_plans AS p;
