-- Goes on with those who wait where there is something to give: after a promotion that had too many to serve at once,
-- and where a sale opened by the clock alone.
--   batch_size  skus at most; those that somebody works on are left for the next time
-- Returns one row: how many were promoted, and the skus that were looked at.
CREATE OR REPLACE FUNCTION ledger.waitlist_promote(batch_size int)
RETURNS TABLE (promoted int, sku_ids text[])
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  due text[];
  taken text[];
BEGIN
  due := ARRAY(
    SELECT s.sku_id FROM stock AS s
    CROSS JOIN LATERAL (SELECT * FROM skus AS k WHERE k.sku_id = s.sku_id LIMIT 1) AS sku
    WHERE s.waiting > 0 AND s.free + s.reserved > 0 AND NOT sku.waitlist_paused AND sale_bar(sku, clock()) IS NULL
    ORDER BY s.sku_id LIMIT batch_size);
  taken := ARRAY(
    SELECT s.sku_id FROM stock AS s WHERE s.sku_id = ANY (due) ORDER BY s.sku_id FOR NO KEY UPDATE SKIP LOCKED);
  -- In the order of their rows, before any of them is looked at in the order of arrival.
  PERFORM limits_open(taken, array_agg(array_position(taken, e.sku_id)), array_agg(l.attendee_id),
    array_agg(e.store_id), array_agg(e.user_id))
  FROM (
    SELECT * FROM waitlist_entries AS w WHERE w.sku_id = ANY (taken) AND w.state = 'WAITING' AND w.barred IS NULL
    ORDER BY w.place LIMIT 1000
  ) AS e
  CROSS JOIN LATERAL jsonb_to_recordset(e.lines) AS l (attendee_id text);
  RETURN QUERY SELECT waiters_promote(taken, clock()), taken;
END $$;
