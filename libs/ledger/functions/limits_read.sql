-- What holds at the edge for requests for some skus: the sku's own limit, else its store's.
--   store_ids, sku_ids   the skus as requests name them, of the same length; sku_id '' asks what the store sets
-- Returns one row a pair, in their order. An unknown sku, and one of another store, has what the store sets.
--   rate_per_second, rate_burst   null: nobody set any
--   source                        who set them: SKU, STORE or CONFIGURED (nobody)
CREATE OR REPLACE FUNCTION ledger.limits_read(store_ids text[], sku_ids text[])
RETURNS TABLE (
  store_id text, sku_id text, rate_per_second int, rate_burst int, source text, on_busy text,
  require_issued_request_id boolean
)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT k.store_id, k.sku_id,
    coalesce(sku.rate_per_second, store.rate_per_second),
    CASE WHEN sku.rate_per_second IS NULL THEN store.rate_burst ELSE sku.rate_burst END,
    CASE WHEN sku.rate_per_second IS NOT NULL THEN 'SKU' WHEN store.rate_per_second IS NOT NULL THEN 'STORE'
      ELSE 'CONFIGURED' END,
    coalesce(sku.on_busy, 'QUEUE'),
    coalesce(store.require_issued_request_id, false)
  FROM unnest(store_ids, sku_ids) WITH ORDINALITY AS k (store_id, sku_id, place)
  LEFT JOIN skus AS sku ON sku.sku_id = k.sku_id AND sku.store_id = k.store_id
  LEFT JOIN store_limits AS store ON store.store_id = k.store_id
  ORDER BY k.place;
END $$;
