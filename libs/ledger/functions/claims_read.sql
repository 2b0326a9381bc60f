-- What the skus of a batch of claims are now, in the order of the batch: a column of arrays for each thing, null where there is
-- no such sku. Read by claims_admit, which holds their locks, as if it stood there.
--   sku_ids  as for claims_admit
--   at       when
-- known counts the skus that there are; bar_verdicts are those that claims_admit gives for what bars a sale.
CREATE OR REPLACE FUNCTION ledger.claims_read(sku_ids text[], at timestamptz) RETURNS TABLE (
  stores text[], free int[], others_have boolean[], prices bigint[], currencies text[], limits int[], maxima int[],
  ttls int[], payables boolean[], bars jsonb[], known int, bar_verdicts int[], capacities int[], sold_out_terms text[]
)
LANGUAGE sql STABLE
AS $$
  SELECT array_agg(t.store_id), array_agg(t.free), array_agg(t.others_have), array_agg(t.price_minor),
    array_agg(t.currency), array_agg(t.per_user_limit), array_agg(t.max_per_order), array_agg(t.hold_ttl_seconds),
    array_agg(t.payment_required), array_agg(t.bar), count(t.store_id)::int,
    array_agg(CASE WHEN t.bar ? 'opens_at' THEN 3 WHEN t.bar ->> 'reason' = 'NOT_ON_SALE' THEN 4 ELSE 5 END),
    array_agg(t.capacity), array_agg(t.on_sold_out)
  FROM (
    SELECT s.store_id, s.free, s.held + s.reserved > s.overbooked AS others_have, sku.price_minor, sku.currency,
      sku.per_user_limit, sku.max_per_order, sku.hold_ttl_seconds, sku.payment_required, s.capacity, sku.on_sold_out,
      ledger.sale_bar(sku, at) AS bar
    FROM unnest(sku_ids) WITH ORDINALITY AS u (sku_id, i)
    LEFT JOIN ledger.stock AS s ON s.sku_id = u.sku_id
    LEFT JOIN ledger.skus AS sku ON sku.sku_id = u.sku_id
    ORDER BY u.i
  ) AS t
$$;
REVOKE EXECUTE ON FUNCTION ledger.claims_read FROM holdfast_runtime;
