-- Why a sku's terms let nobody buy it at an instant.
--   sku  the sku's row    at  the instant
-- Returns a refusal, or null when the sale is open: NOT_ON_SALE with opens_at before the sale, with closed_at and
-- slot_past after it; PAUSED; SALE_CANCELLED, at whatever time.
CREATE OR REPLACE FUNCTION ledger.sale_bar(sku ledger.skus, at timestamptz) RETURNS jsonb
LANGUAGE sql STABLE
RETURN CASE
  WHEN sku.cancelled_at IS NOT NULL THEN
    jsonb_build_object('reason', 'SALE_CANCELLED', 'sku_id', sku.sku_id)
  WHEN at < sku.on_sale_at THEN
    jsonb_build_object('reason', 'NOT_ON_SALE', 'sku_id', sku.sku_id, 'opens_at', sku.on_sale_at)
  WHEN at >= least(sku.off_sale_at, sku.starts_at) THEN jsonb_strip_nulls(jsonb_build_object(
    'reason', 'NOT_ON_SALE', 'sku_id', sku.sku_id,
    'closed_at', CASE WHEN at >= coalesce(sku.off_sale_at, sku.starts_at)
      THEN coalesce(sku.off_sale_at, sku.starts_at) END,
    'slot_past', CASE WHEN at >= sku.starts_at THEN true END))
  WHEN sku.paused THEN
    jsonb_build_object('reason', 'PAUSED', 'sku_id', sku.sku_id)
END;
