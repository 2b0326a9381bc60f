-- The limits beyond one sku that a store has.
--   of_store   the store
-- Returns one row: per_attendee_limit, open_orders_per_user, unfulfilled_per_user, null: none; groups, [{group_id,
-- per_attendee_limit}] in the order of their ids.
CREATE OR REPLACE FUNCTION ledger.order_limits_read(of_store text)
RETURNS TABLE (per_attendee_limit int, open_orders_per_user int, unfulfilled_per_user int, groups json)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT l.per_attendee_limit, l.open_orders_per_user, l.unfulfilled_per_user, (
      SELECT coalesce(json_agg(json_build_object('group_id', g.group_id, 'per_attendee_limit', g.per_attendee_limit)
        ORDER BY g.group_id), '[]')
      FROM group_limits AS g WHERE g.store_id = of_store
    )
  FROM (VALUES (of_store)) AS s (store_id) LEFT JOIN store_limits AS l ON l.store_id = s.store_id;
END $$;
