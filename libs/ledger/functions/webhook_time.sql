-- An instant as it stands in a webhook: RFC 3339 in UTC, to the millisecond.
CREATE OR REPLACE FUNCTION ledger.webhook_time(at timestamptz) RETURNS text
LANGUAGE sql STABLE
RETURN to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
