-- Who waits at a sku, in the order of their arrival, with what they are told (rows of waitlist_rows).
--   of_store, of_sku  the sku
--   after             only arrivals beyond this one; 0: from the head
--   at_most           rows
-- Returns one row: waiting, how many wait in all; paused, whether its waitlist is; and the entries. Of an unknown sku,
-- and of one of another store, no row.
CREATE OR REPLACE FUNCTION ledger.waitlist_list(of_store text, of_sku text, after bigint, at_most int)
RETURNS TABLE (now timestamptz, waiting int, reserved int, paused boolean, entries json)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT clock(), s.waiting, s.reserved, sku.waitlist_paused, (
      SELECT coalesce(json_agg(r), '[]') FROM (
        SELECT r.* FROM waitlist_rows AS r
        WHERE r.sku_id = of_sku AND r.place > after AND r.state = 'WAITING' ORDER BY r.place LIMIT at_most
      ) AS r
    )
  FROM stock AS s JOIN skus AS sku ON sku.sku_id = s.sku_id
  WHERE s.sku_id = of_sku AND s.store_id = of_store;
END $$;
