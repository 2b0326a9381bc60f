-- Stops the sale of a sku, or lets it go on. Holds and orders stay. Who admits afterwards sees it: both lock the stock.
--   of_store, of_sku  the sku
--   pausing           true: stop; false: go on
--   why, operator     what the change is kept with
--   request           the same request again has no second effect
-- Returns one row: what happened, and the sku as it is now (a row of sku_rows). Of an unknown sku, and of one of another
-- store, no row. outcome:
--   CHANGED
--   UNCHANGED          it was like that already; the change is kept all the same
--   KNOWN              this request was carried out earlier
--   REQUEST_ID_REUSED  it was about something else
CREATE OR REPLACE FUNCTION ledger.sku_pause(
  of_store text, of_sku text, pausing boolean, why text, operator text, request text
) RETURNS TABLE (outcome text, sku_row json)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  verb CONSTANT text := CASE WHEN pausing THEN 'PAUSE' ELSE 'RESUME' END;
  was_paused boolean;
  at timestamptz;
  result text;
BEGIN
  PERFORM FROM stock WHERE sku_id = of_sku AND store_id = of_store FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  at := clock();
  result := control_known(verb, 'SKU', of_sku, why, operator, request);
  IF result IS NULL THEN
    SELECT paused INTO STRICT was_paused FROM skus WHERE sku_id = of_sku;
    result := CASE WHEN was_paused = pausing THEN 'UNCHANGED' ELSE 'CHANGED' END;
    IF result = 'CHANGED' THEN
      UPDATE skus SET paused = pausing, version = version + 1, updated_at = at WHERE sku_id = of_sku;
      UPDATE stock SET version = version + 1 WHERE sku_id = of_sku;
      PERFORM waiters_promote(ARRAY[of_sku], at);
    END IF;
    PERFORM control_note(verb, 'SKU', of_sku, CASE WHEN was_paused THEN 'paused' ELSE 'on sale' END,
      CASE WHEN pausing THEN 'paused' ELSE 'on sale' END, why, operator, at, request);
  END IF;
  RETURN QUERY SELECT result, row_to_json(r) FROM sku_rows AS r WHERE r.sku_id = of_sku;
END $$;
