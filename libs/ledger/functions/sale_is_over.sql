-- Whether nobody will be given a unit of a sku any more: its sale ended, its slot began, or it was cancelled.
CREATE OR REPLACE FUNCTION ledger.sale_is_over(of_sku text, at timestamptz) RETURNS boolean
LANGUAGE sql STABLE
AS $$
  SELECT sku.cancelled_at IS NOT NULL OR coalesce(at >= least(sku.off_sale_at, sku.starts_at), false)
  FROM ledger.skus AS sku WHERE sku.sku_id = of_sku
$$;
