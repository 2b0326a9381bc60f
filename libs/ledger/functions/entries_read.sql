-- Entries of waitlists by their ids; unknown ones are left out.
--   entry_ids  the ids, each once
-- Returns one row an entry: its id, what a claim is told of it (entry_word), the order that it was offered (a row of
-- order_rows), and the entry itself (a row of waitlist_rows).
CREATE OR REPLACE FUNCTION ledger.entries_read(entry_ids uuid[])
RETURNS TABLE (entry_id uuid, word jsonb, order_row json, entry_row json, now timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT e.entry_id, entry_word(e), (
      SELECT row_to_json(o) FROM order_rows AS o WHERE o.order_id = e.order_id
    ), row_to_json(r), clock()
  FROM waitlist_entries AS e JOIN waitlist_rows AS r ON r.entry_id = e.entry_id
  WHERE e.entry_id = ANY (entry_ids);
END $$;
