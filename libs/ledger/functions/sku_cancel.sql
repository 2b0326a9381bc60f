-- Cancels the sale of a sku for good. Whoever admits afterwards sees it: both lock the stock. Its orders are given back
-- by cancelled_sales_end.
--   of_store, of_sku  the sku
--   why, operator     what the change is kept with; its orders are cancelled with the same words
--   request           the same request again has no second effect
-- Returns one row: what happened, and the sku as it is now (a row of sku_rows). Of an unknown sku, and of one of another
-- store, no row. outcome:
--   CHANGED
--   UNCHANGED          it was cancelled already; the change is kept all the same
--   KNOWN              this request was carried out earlier
--   REQUEST_ID_REUSED  it was about something else
CREATE OR REPLACE FUNCTION ledger.sku_cancel(of_store text, of_sku text, why text, operator text, request text)
RETURNS TABLE (outcome text, sku_row json)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  at timestamptz;
  sku skus%ROWTYPE;
  result text;
BEGIN
  PERFORM FROM stock WHERE sku_id = of_sku AND store_id = of_store FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  at := clock();
  result := control_known('CANCEL', 'SKU', of_sku, why, operator, request);
  IF result IS NULL THEN
    SELECT * INTO STRICT sku FROM skus WHERE sku_id = of_sku;
    result := CASE WHEN sku.cancelled_at IS NULL THEN 'CHANGED' ELSE 'UNCHANGED' END;
    IF result = 'CHANGED' THEN
      UPDATE skus SET cancelled_at = at, version = version + 1, updated_at = at WHERE sku_id = of_sku;
      UPDATE stock SET version = version + 1 WHERE sku_id = of_sku;
      INSERT INTO cancelled_sales (sku_id, reason, cancelled_at) VALUES (of_sku, why, at);
    END IF;
    PERFORM control_note('CANCEL', 'SKU', of_sku, CASE WHEN sku.cancelled_at IS NOT NULL THEN 'cancelled'
      WHEN sku.paused THEN 'paused' ELSE 'on sale' END, 'cancelled', why, operator, at, request);
  END IF;
  RETURN QUERY SELECT result, row_to_json(r) FROM sku_rows AS r WHERE r.sku_id = of_sku;
END $$;
