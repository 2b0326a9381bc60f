-- Lays a letter aside; what it asked for stays as it is.
--   letter_id      the letter
--   by_whom, why   the operator and the reason
--   request        the id of the request
-- Returns one row: outcome, and the letter as it is now (a row of dead_letters without its message). outcome: DISCARDED,
-- or as dead_letter_bar says.
CREATE OR REPLACE FUNCTION ledger.dead_letter_discard(letter_id bigint, by_whom text, why text, request text)
RETURNS TABLE (outcome text, letter_row json)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
  letter dead_letters%ROWTYPE;
  result text;
BEGIN
  SELECT * INTO letter FROM dead_letters AS d WHERE d.id = letter_id FOR NO KEY UPDATE;
  result := dead_letter_bar(letter, 'DISCARDED', by_whom, why, request);
  IF result IS NULL THEN
    result := 'DISCARDED';
    PERFORM dead_letter_resolve(letter_id, result, 'waits', 'discarded', by_whom, why, request);
  END IF;
  RETURN QUERY SELECT result, (
    SELECT to_json(d) FROM dead_letters_list(true, letter_id + 1, 1) AS d WHERE d.id = letter_id);
END $$;
