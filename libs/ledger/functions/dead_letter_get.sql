-- One dead letter with its message; no row when there is none.
CREATE OR REPLACE FUNCTION ledger.dead_letter_get(letter_id bigint) RETURNS SETOF ledger.dead_letters
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
BEGIN
  RETURN QUERY SELECT * FROM dead_letters AS d WHERE d.id = letter_id;
END $$;
