-- What operators and staff do to webhooks is a change of the store, once for its request. Only a pause asks why.
ALTER TABLE ledger.control_changes DROP CONSTRAINT control_changes_reason_check,
  ADD CONSTRAINT control_changes_reason_check CHECK (reason <> '' OR what LIKE 'WEBHOOK\_%');
INSERT INTO ledger.control_changes (what, scope, scope_id, was, became, reason, changed_by, changed_at, request_id)
SELECT 'WEBHOOK_ADD', 'STORE', e.store_id, '', concat(e.url, ' (', coalesce(nullif(array_to_string(e.event_types, ' '), ''), 'all'),
  '), ', e.endpoint_id), '', e.created_by, e.created_at, e.request_id
FROM ledger.webhook_endpoints AS e ORDER BY e.created_at;
ALTER TABLE ledger.webhook_secrets DROP COLUMN request_id;

DROP FUNCTION IF EXISTS ledger.control_known(text, text, text, text, text, text);
DROP FUNCTION IF EXISTS ledger.control_note(text, text, text, text, text, text, timestamptz, text);
DROP FUNCTION IF EXISTS ledger.webhook_endpoint_set(text, text, text, text);
DROP FUNCTION IF EXISTS ledger.webhook_endpoints_list(text, text, text, text, int);
DROP FUNCTION IF EXISTS ledger.webhook_secret_rotate(text, text, bigint, text);
DROP FUNCTION IF EXISTS ledger.webhook_replay(text, text, timestamptz);
