-- One entry of a waitlist (a row of waitlist_rows), by its id or by whose it is.
--   id               the entry, or null
--   of_user, of_sku  with a null id: the user's entry at the sku that waits or is offered
--   caller           whose entry it must be; null: anybody's
-- Returns one row with the clock, or none.
CREATE OR REPLACE FUNCTION ledger.waitlist_entry_get(id uuid, of_user text, of_sku text, caller text)
RETURNS TABLE (now timestamptz, entry_row json)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
BEGIN
  IF id IS NULL THEN
    SELECT e.entry_id INTO id FROM waitlist_entries AS e
    WHERE e.user_id = of_user AND e.sku_id = of_sku AND e.state IN ('WAITING', 'OFFERED');
  END IF;
  RETURN QUERY SELECT clock(), row_to_json(r) FROM waitlist_rows AS r
  WHERE r.entry_id = id AND (caller IS NULL OR r.user_id = caller);
END $$;
