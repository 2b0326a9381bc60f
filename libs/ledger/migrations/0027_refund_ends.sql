-- REFUND_END: a refund was made (DONE) or is not to be made any more (WITHDRAWN), order_version the refund's number. Webhooks
-- tell of it; the stream, which asks for refunds, does not, so such a row counts as published. What ended before is not told.
ALTER TABLE ledger.outbox DROP CONSTRAINT outbox_kind_check,
  ADD CONSTRAINT outbox_kind_check CHECK (kind IN ('ORDER', 'WAITLIST', 'REFUND', 'REFUND_END'));
INSERT INTO ledger.outbox (kind, order_id, order_version, state, at, published_at)
SELECT 'REFUND_END', r.order_id, r.number, r.state, coalesce(r.refunded_at, r.due_at), date_trunc('milliseconds', now())
FROM ledger.refunds AS r WHERE r.state <> 'DUE';
