-- Sets limits beyond one sku, of a store or of a group of its skus. They hold for whoever is admitted from then on: what
-- people have stays, and counts.
--   of_store       the store
--   of_group       the group; null: the store
--   per_attendee, open_orders, unfulfilled   the limits; null: as it is, 0: none. A group has only the first
-- Returns whether anything changed.
-- Waits for whoever admits skus of the store now: what they give is counted, or they know the limit.
CREATE OR REPLACE FUNCTION ledger.order_limits_set(
  of_store text, of_group text, per_attendee int, open_orders int, unfulfilled int
) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  counted boolean;
  touched int;
BEGIN
  IF of_group IS NOT NULL THEN
    IF per_attendee = 0 THEN
      DELETE FROM group_limits AS g WHERE g.store_id = of_store AND g.group_id = of_group;
    ELSE
      INSERT INTO group_limits AS g (store_id, group_id, per_attendee_limit) VALUES (of_store, of_group, per_attendee)
      ON CONFLICT (store_id, group_id) DO UPDATE SET per_attendee_limit = per_attendee
      WHERE g.per_attendee_limit <> per_attendee;
    END IF;
    GET DIAGNOSTICS touched = ROW_COUNT;
  ELSE
    INSERT INTO store_limits (store_id, require_issued_request_id, version, updated_at)
    VALUES (of_store, false, 1, clock()) ON CONFLICT DO NOTHING;
    SELECT per_attendee_limit IS NOT NULL INTO counted FROM store_limits WHERE store_id = of_store FOR NO KEY UPDATE;
    UPDATE store_limits AS l SET per_attendee_limit = n.per_attendee, open_orders_per_user = n.open_orders,
      unfulfilled_per_user = n.unfulfilled, version = l.version + 1, updated_at = clock()
    FROM (
      SELECT nullif(coalesce(per_attendee, s.per_attendee_limit), 0) AS per_attendee,
        nullif(coalesce(open_orders, s.open_orders_per_user), 0) AS open_orders,
        nullif(coalesce(unfulfilled, s.unfulfilled_per_user), 0) AS unfulfilled
      FROM store_limits AS s WHERE s.store_id = of_store
    ) AS n
    WHERE l.store_id = of_store AND (l.per_attendee_limit, l.open_orders_per_user, l.unfulfilled_per_user)
      IS DISTINCT FROM (n.per_attendee, n.open_orders, n.unfulfilled);
    GET DIAGNOSTICS touched = ROW_COUNT;
  END IF;
  IF touched > 0 THEN
    PERFORM FROM stock WHERE sku_id = ANY (ARRAY(SELECT s.sku_id FROM skus AS s WHERE s.store_id = of_store))
    ORDER BY sku_id FOR NO KEY UPDATE;
    IF per_attendee > 0 AND NOT counted THEN
      INSERT INTO attendee_limits (store_id, attendee_id, sku_ids)
      SELECT of_store, a.attendee_id, array_agg(a.sku_id)
      FROM skus AS s JOIN attendee_units AS a ON a.sku_id = s.sku_id AND a.units > 0
      WHERE s.store_id = of_store GROUP BY a.attendee_id ORDER BY a.attendee_id
      ON CONFLICT (store_id, attendee_id) DO UPDATE SET sku_ids = excluded.sku_ids;
    END IF;
  END IF;
  RETURN touched > 0;
END $$;
REVOKE EXECUTE ON FUNCTION ledger.order_limits_set FROM holdfast_runtime;
