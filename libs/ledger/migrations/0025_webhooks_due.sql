-- Deliveries of what was told are written in a transaction of their own, so that one that cannot be written holds up no
-- event: until then the row of the outbox says that they are due.
ALTER TABLE ledger.outbox ADD COLUMN webhooks_due boolean NOT NULL DEFAULT false;
CREATE INDEX outbox_webhooks_due ON ledger.outbox (id) WHERE webhooks_due;
DROP FUNCTION IF EXISTS ledger.webhook_deliveries_add(ledger.outbox[]);
