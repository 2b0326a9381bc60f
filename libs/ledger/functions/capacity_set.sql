-- Says how many units of a sku there are, whatever there were.
--   of_store, of_sku  the sku
--   new_capacity      units
--   forced            also when that makes it overbooked, or more so: what comes back is then not free again until it is
--                     not overbooked any more
--   why, operator     what the change is kept with
--   request           the same request again has no second effect
-- Returns one row: what happened, and the sku as it is now (a row of sku_rows). Of an unknown sku, and of one of another
-- store, no row. outcome:
--   CHANGED
--   UNCHANGED             it had that capacity already; the change is kept all the same
--   CAPACITY_BELOW_TAKEN  more units are held and sold, and it is not forced; nothing is kept
--   KNOWN                 this request was carried out earlier
--   REQUEST_ID_REUSED     it was about something else
CREATE OR REPLACE FUNCTION ledger.capacity_set(
  of_store text, of_sku text, new_capacity int, forced boolean, why text, operator text, request text
) RETURNS TABLE (outcome text, sku_row json)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  units stock%ROWTYPE;
  resized stock%ROWTYPE;
  at timestamptz;
  result text;
BEGIN
  SELECT * INTO units FROM stock WHERE sku_id = of_sku AND store_id = of_store FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  at := clock();
  result := coalesce(control_known('CAPACITY', 'SKU', of_sku, why, operator, request, new_capacity::text), CASE
    WHEN new_capacity = units.capacity THEN 'UNCHANGED'
    -- Less overbooked than before is better than before: that needs no force.
    WHEN new_capacity + units.overbooked < units.held + units.sold AND NOT forced
      THEN 'CAPACITY_BELOW_TAKEN'
    ELSE 'CHANGED' END);

  IF result = 'CHANGED' THEN
    PERFORM stock_resize(of_sku, new_capacity, 'CAPACITY', at);
    UPDATE skus SET version = version + 1, updated_at = at WHERE sku_id = of_sku;
    PERFORM waiters_unbar(of_sku, NULL);
    PERFORM waiters_promote(ARRAY[of_sku], at);
  END IF;
  IF result IN ('CHANGED', 'UNCHANGED') THEN
    SELECT * INTO STRICT resized FROM stock WHERE sku_id = of_sku;
    PERFORM control_note('CAPACITY', 'SKU', of_sku, concat_ws(', ', units.capacity, nullif(units.overbooked, 0) || ' overbooked'),
      concat_ws(', ', resized.capacity, nullif(resized.overbooked, 0) || ' overbooked'), why, operator, at, request);
  END IF;
  RETURN QUERY SELECT result, row_to_json(r) FROM sku_rows AS r WHERE r.sku_id = of_sku;
END $$;
