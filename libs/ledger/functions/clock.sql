-- The one clock that decides: the database's, in whole milliseconds, so that an instant survives the way to
-- JavaScript and back. Call it after the locks are taken; now() would be the instant the transaction began.
CREATE OR REPLACE FUNCTION ledger.clock() RETURNS timestamptz
LANGUAGE sql VOLATILE
RETURN date_trunc('milliseconds', clock_timestamp());
