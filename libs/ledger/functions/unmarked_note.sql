-- Notes that tries may begin that no mark knows of, before the first of them has any effect.
--   for_ms  for so long from now
-- Returns until when that is noted: never less than was noted before.
CREATE OR REPLACE FUNCTION ledger.unmarked_note(for_ms int) RETURNS TABLE (until timestamptz)
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = ledger, pg_temp
AS $$
  UPDATE ledger.unmarked AS u SET until = greatest(u.until, ledger.clock() + for_ms * interval '1 millisecond')
  RETURNING u.until;
$$;
