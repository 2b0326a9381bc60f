-- The refusal when no unit of a sku is free.
--   of_sku       the sku
--   others_have  whether more units of it are held or reserved than it is overbooked by
--   soonest      earliest expiry of the holds that are decided and not written yet, or null
-- Returns ALL_HELD while anything may come back, with next_release_at when a hold says when; else SOLD_OUT.
CREATE OR REPLACE FUNCTION ledger.shortage(of_sku text, others_have boolean, soonest timestamptz) RETURNS jsonb
LANGUAGE sql STABLE
AS $$
  SELECT CASE
    WHEN others_have OR soonest IS NOT NULL THEN jsonb_strip_nulls(jsonb_build_object(
      'reason', 'ALL_HELD', 'sku_id', of_sku, 'next_release_at', least(soonest, (
        SELECT r.next_release_at FROM ledger.sku_rows AS r WHERE r.sku_id = of_sku
      ))))
    ELSE jsonb_build_object('reason', 'SOLD_OUT', 'sku_id', of_sku) END
$$;
