-- What the ledger knows for those who wait: one snapshot, one round trip.
--   sku_ids       skus to read
--   order_ids     orders to look for
--   pair_sku_ids, pair_attendee_ids   pairs whose units to read
-- Returns one row: now, the ledger's clock; skus, rows of sku_rows; orders, rows of order_rows;
-- units, {sku_id, attendee_id, units} of pairs that have any. What is unknown is left out.
CREATE OR REPLACE FUNCTION ledger.parked_read(
  sku_ids text[], order_ids uuid[], pair_sku_ids text[], pair_attendee_ids text[]
) RETURNS TABLE (now timestamptz, skus json, orders json, units json)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT clock(), (
      SELECT coalesce(json_agg(s), '[]') FROM sku_rows AS s WHERE s.sku_id = ANY (sku_ids)
    ), (
      SELECT coalesce(json_agg(o), '[]') FROM order_rows AS o WHERE o.order_id = ANY (order_ids)
    ), (
      SELECT coalesce(json_agg(a), '[]')
      FROM unnest(pair_sku_ids, pair_attendee_ids) AS p (sku_id, attendee_id)
      JOIN attendee_units AS a ON a.sku_id = p.sku_id AND a.attendee_id = p.attendee_id
    );
END $$;
