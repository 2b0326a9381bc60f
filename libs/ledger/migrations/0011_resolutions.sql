-- What became of a dead letter, by whose hand, and why.
ALTER TABLE ledger.dead_letters
  ADD COLUMN resolution text COLLATE "C" CHECK (resolution IN ('REPLAYED', 'DISCARDED')),
  ADD COLUMN resolved_by text,
  ADD COLUMN resolved_reason text,
  -- The same request resolves once.
  ADD COLUMN resolved_request_id text COLLATE "C",
  ADD CONSTRAINT dead_letters_resolved_by_somebody
    CHECK (num_nulls(resolved_at, resolution, resolved_by, resolved_reason, resolved_request_id) IN (0, 5));
CREATE INDEX dead_letters_by_order ON ledger.dead_letters (order_id) WHERE order_id IS NOT NULL;
