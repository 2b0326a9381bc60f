-- Finds, in a stretch of skus, those that sold out or went off sale since they were looked at last.
--   after    the last sku of the stretch before, or ''
--   stretch  skus
-- Returns one row: the skus; and last_id, the last sku of the stretch, null when it was the last one.
CREATE OR REPLACE FUNCTION ledger.reconcile_ended(after text, stretch int)
RETURNS TABLE (sku_ids text[], last_id text)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  looked_at CONSTANT timestamptz := clock();
BEGIN
  RETURN QUERY
  WITH walked AS MATERIALIZED (
    SELECT s.sku_id, s.free, s.version FROM stock AS s WHERE s.sku_id > after ORDER BY s.sku_id LIMIT stretch
  )
  SELECT ARRAY(
      SELECT s.sku_id FROM walked AS s
      JOIN skus AS sku ON sku.sku_id = s.sku_id
      LEFT JOIN reconciled AS r ON r.sku_id = s.sku_id
      WHERE (s.free = 0 AND s.version > coalesce(r.stock_version, 0))
        OR (least(sku.off_sale_at, sku.starts_at) <= looked_at
          AND least(sku.off_sale_at, sku.starts_at) > coalesce(r.at, '-infinity'))
      ORDER BY s.sku_id
    ), (SELECT max(s.sku_id) FROM walked AS s HAVING count(*) = stretch);
END $$;
