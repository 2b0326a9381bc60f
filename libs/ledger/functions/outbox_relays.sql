-- How many processes that relay events to a stream are connected, whether or not they hold its lock. They are known by the
-- name of their connection, which ends in -relay.
CREATE OR REPLACE FUNCTION ledger.outbox_relays() RETURNS int
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = ledger, pg_temp
AS $$
  SELECT count(*)::int FROM pg_stat_activity AS a
  WHERE a.datname = current_database() AND a.application_name LIKE '%-relay';
$$;
