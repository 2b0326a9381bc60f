-- Raises an alert, or sees it again while it is open.
--   of_kind, of_subject   what it is, and about what
--   of_sku                the sku, or null
--   figures               the facts as they are now
--   next_step             the command that looks closer, or mends it
-- Returns whether it is a new one.
CREATE OR REPLACE FUNCTION ledger.alert_raise(
  of_kind text, of_subject text, of_sku text, figures jsonb, next_step text
) RETURNS boolean
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = ledger, pg_temp
AS $$
  INSERT INTO ledger.alerts AS a (kind, subject, sku_id, facts, command, first_seen_at, last_seen_at, times_seen)
  SELECT of_kind, of_subject, of_sku, figures, next_step, t.at, t.at, 1 FROM (SELECT ledger.clock() AS at) AS t
  ON CONFLICT (kind, subject) WHERE cleared_at IS NULL DO UPDATE SET facts = excluded.facts,
    command = excluded.command, last_seen_at = excluded.last_seen_at, times_seen = a.times_seen + 1
  RETURNING a.times_seen = 1;
$$;
