-- Notes that a look found nothing about some skus that a person should decide.
--   of_fence           the look's number
--   sku_ids, versions  the skus, and the stocks that were looked at
-- Returns false, and notes nothing, when a newer look has begun.
CREATE OR REPLACE FUNCTION ledger.reconcile_note(of_fence bigint, sku_ids text[], versions bigint[]) RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
  looked_at timestamptz;
BEGIN
  -- Held until this has been written, so that a newer look begins before it or after it.
  PERFORM FROM ledger.reconcile_fence AS f WHERE f.is_only AND f.fence = of_fence FOR SHARE;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  looked_at := ledger.clock();
  INSERT INTO ledger.reconciled AS r (sku_id, stock_version, at)
  SELECT u.sku_id, u.version, looked_at FROM unnest(sku_ids, versions) AS u (sku_id, version) WHERE u.version IS NOT NULL
  ON CONFLICT (sku_id) DO UPDATE SET stock_version = excluded.stock_version, at = excluded.at
  -- Nothing is written about the many whose stock is as it was and whose sale did not end since.
  WHERE r.stock_version <> excluded.stock_version OR EXISTS (
    SELECT FROM ledger.skus AS sku WHERE sku.sku_id = r.sku_id
      AND least(sku.off_sale_at, sku.starts_at) > r.at AND least(sku.off_sale_at, sku.starts_at) <= looked_at);
  RETURN true;
END $$;
