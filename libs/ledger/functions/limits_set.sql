-- Sets what a sku or a store has of its own. The same again changes nothing.
--   of_store, of_sku   the sku; of_sku '': the store itself
--   per_second, burst  the rate limit; null: as it is
--   clear_rate         a rate limit of its own no longer
--   busy               of a sku only; null: as it is
--   require_issued     of a store only; null: as it is
--   of_group, per_attendee, open_orders, unfulfilled   of a store only: limits beyond one sku, as order_limits_set takes them
-- Returns one row: whether a row changed, and the row of limits_read as it is now. Of an unknown sku, and of one of
-- another store, no row. A sku's etag rises with each change.
CREATE OR REPLACE FUNCTION ledger.limits_set(
  of_store text, of_sku text, per_second int, burst int, clear_rate boolean, busy text, require_issued boolean,
  of_group text, per_attendee int, open_orders int, unfulfilled int
) RETURNS TABLE (
  changed boolean, store_id text, sku_id text, rate_per_second int, rate_burst int, source text, on_busy text,
  require_issued_request_id boolean
)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  touched int;
BEGIN
  IF of_sku = '' THEN
    INSERT INTO store_limits AS store
      (store_id, rate_per_second, rate_burst, require_issued_request_id, version, updated_at)
    VALUES (of_store, per_second, burst, coalesce(require_issued, false), 1, clock())
    ON CONFLICT (store_id) DO UPDATE SET
      rate_per_second = CASE WHEN clear_rate THEN NULL ELSE coalesce(per_second, store.rate_per_second) END,
      rate_burst = CASE WHEN clear_rate THEN NULL ELSE coalesce(burst, store.rate_burst) END,
      require_issued_request_id = coalesce(require_issued, store.require_issued_request_id),
      version = store.version + 1, updated_at = clock()
    WHERE (store.rate_per_second, store.rate_burst, store.require_issued_request_id) IS DISTINCT FROM (
      CASE WHEN clear_rate THEN NULL ELSE coalesce(per_second, store.rate_per_second) END,
      CASE WHEN clear_rate THEN NULL ELSE coalesce(burst, store.rate_burst) END,
      coalesce(require_issued, store.require_issued_request_id));
    GET DIAGNOSTICS touched = ROW_COUNT;
    IF num_nonnulls(per_attendee, open_orders, unfulfilled) > 0
      AND order_limits_set(of_store, of_group, per_attendee, open_orders, unfulfilled) THEN
      touched := 1;
    END IF;
  ELSE
    -- Whoever changes a sku's row holds the lock of its stock: sku_put writes every column as it read it.
    PERFORM FROM stock AS s WHERE s.sku_id = of_sku AND s.store_id = of_store FOR NO KEY UPDATE;
    IF NOT FOUND THEN
      RETURN;
    END IF;
    UPDATE skus AS sku SET
      rate_per_second = CASE WHEN clear_rate THEN NULL ELSE coalesce(per_second, sku.rate_per_second) END,
      rate_burst = CASE WHEN clear_rate THEN NULL ELSE coalesce(burst, sku.rate_burst) END,
      on_busy = coalesce(busy, sku.on_busy), version = sku.version + 1, updated_at = clock()
    WHERE sku.sku_id = of_sku AND (sku.rate_per_second, sku.rate_burst, sku.on_busy) IS DISTINCT FROM (
      CASE WHEN clear_rate THEN NULL ELSE coalesce(per_second, sku.rate_per_second) END,
      CASE WHEN clear_rate THEN NULL ELSE coalesce(burst, sku.rate_burst) END,
      coalesce(busy, sku.on_busy));
    GET DIAGNOSTICS touched = ROW_COUNT;
  END IF;
  RETURN QUERY SELECT touched > 0, l.* FROM limits_read(ARRAY[of_store], ARRAY[of_sku]) AS l;
END $$;
