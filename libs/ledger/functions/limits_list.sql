-- What a store sets, and what holds for its skus in the order of their ids.
--   of_store    the store
--   after_sku   the last sku of the page before, or ''
--   at_most     skus
-- Returns rows of limits_read. The first, with sku_id '', is what the store sets.
CREATE OR REPLACE FUNCTION ledger.limits_list(of_store text, after_sku text, at_most int)
RETURNS TABLE (
  store_id text, sku_id text, rate_per_second int, rate_burst int, source text, on_busy text,
  require_issued_request_id boolean
)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  page text[];
BEGIN
  page := ''::text || ARRAY(
    SELECT sku.sku_id FROM skus AS sku WHERE sku.store_id = of_store AND sku.sku_id > after_sku
    ORDER BY sku.sku_id LIMIT at_most);
  RETURN QUERY SELECT * FROM limits_read(array_fill(of_store, ARRAY[cardinality(page)]), page);
END $$;
