-- Creates a sku, or changes it. Its free units change with its capacity, under the stock's lock.
--   sku         columns of skus, and capacity; those of late money, late cancels and waitlists that are not said stay as
--               they are, and waitlist_paused is not for here
--   etag        the version that was read; null: none was
--   overwrites  true: a change needs no etag, and a sku that is paused stays so: resuming it is an act of its own
--   rehearsed   true: only says what would happen, and locks nothing
-- Returns one row: what happened, and the sku as it is now (a row of sku_rows). outcome:
--   CREATED, CHANGED
--   UNCHANGED             it is like that already
--   ETAG_MISMATCH         it was changed since it was read, even if to the same, or no etag was given for a change
--   CAPACITY_BELOW_TAKEN  more units are held and sold than the capacity would be
--   SKU_NOT_FOUND         there is nothing that the etag could be of
--   OTHER_STORE           the id belongs to another store
CREATE OR REPLACE FUNCTION ledger.sku_put(
  sku jsonb, etag bigint, overwrites boolean DEFAULT false, rehearsed boolean DEFAULT false
) RETURNS TABLE (outcome text, sku_row json)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  id CONSTANT text := sku ->> 'sku_id';
  new_capacity CONSTANT int := (sku ->> 'capacity')::int;
  units stock%ROWTYPE;
  old skus%ROWTYPE;
  new skus%ROWTYPE;
  at timestamptz;
  result text;
BEGIN
  IF rehearsed THEN
    SELECT * INTO units FROM stock WHERE sku_id = id;
  ELSE
    SELECT * INTO units FROM stock WHERE sku_id = id FOR NO KEY UPDATE;
  END IF;
  at := clock();
  SELECT * INTO old FROM skus WHERE sku_id = id;
  new := jsonb_populate_record(old, CASE WHEN units IS NULL THEN '{"late_payment": "RETAKE_IF_FREE",
    "late_cancel": "REFUSE", "on_sold_out": "REFUSE", "waitlist_max": 100000, "waitlist_order": "STRICT",
    "waitlist_skips": 3, "waitlist_accept": "AUTO"}' ELSE '{}' END::jsonb || sku);
  new.waitlist_paused := coalesce(old.waitlist_paused, false);
  IF overwrites AND old.paused THEN
    new.paused := true;
  END IF;
  result := CASE
    WHEN units IS NULL THEN CASE WHEN etag IS NULL THEN 'CREATED' ELSE 'SKU_NOT_FOUND' END
    WHEN new.store_id <> old.store_id THEN 'OTHER_STORE'
    WHEN etag <> old.version THEN 'ETAG_MISMATCH'
    WHEN new IS NOT DISTINCT FROM old AND new_capacity = units.capacity THEN 'UNCHANGED'
    WHEN etag IS NULL AND NOT overwrites THEN 'ETAG_MISMATCH'
    WHEN new_capacity + units.overbooked < units.held + units.sold THEN 'CAPACITY_BELOW_TAKEN'
    ELSE 'CHANGED' END;

  new.updated_at := at;
  IF rehearsed THEN
    NULL;
  ELSIF result = 'CREATED' THEN
    new.version := 1;
    new.created_at := at;
    INSERT INTO stock (sku_id, store_id, capacity, overbooked, free, reserved, held, sold, version)
    VALUES (id, new.store_id, new_capacity, 0, new_capacity, 0, 0, 0, 1) ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
      RAISE serialization_failure USING MESSAGE = 'sku_put: the sku was created meanwhile';
    END IF;
    INSERT INTO skus SELECT new.*;
    INSERT INTO stock_changes (sku_id, stock_version, delta_capacity, delta_overbooked, delta_free, reason, at)
    VALUES (id, 1, new_capacity, 0, new_capacity, result, at);
  ELSIF result = 'CHANGED' THEN
    new.version := old.version + 1;
    PERFORM stock_resize(id, new_capacity, result, at);
    UPDATE skus SET title = new.title, starts_at = new.starts_at, time_zone = new.time_zone,
      on_sale_at = new.on_sale_at, off_sale_at = new.off_sale_at, per_user_limit = new.per_user_limit,
      max_per_order = new.max_per_order, hold_ttl_seconds = new.hold_ttl_seconds,
      payment_required = new.payment_required, price_minor = new.price_minor, currency = new.currency,
      rate_per_second = new.rate_per_second, rate_burst = new.rate_burst, on_busy = new.on_busy,
      limit_group = new.limit_group,
      late_payment = new.late_payment, free_cancel_seconds = new.free_cancel_seconds, late_cancel = new.late_cancel,
      paused = new.paused, on_sold_out = new.on_sold_out, waitlist_max = new.waitlist_max,
      waitlist_order = new.waitlist_order, waitlist_skips = new.waitlist_skips, waitlist_accept = new.waitlist_accept,
      offer_ttl_seconds = new.offer_ttl_seconds, version = new.version, updated_at = new.updated_at
    WHERE sku_id = id;
    PERFORM waiters_unbar(id, NULL);
    PERFORM waiters_promote(ARRAY[id], at);
  END IF;
  RETURN QUERY SELECT result, (
    SELECT row_to_json(r) FROM sku_rows AS r WHERE r.sku_id = id AND result <> 'OTHER_STORE');
END $$;
