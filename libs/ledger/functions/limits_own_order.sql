-- The newest order of a user that counts for a limit beyond one sku.
--   of_store, of_user   whose
--   scope               STORE, GROUP, OPEN_ORDERS or UNFULFILLED
--   of_attendee         of STORE and GROUP: whose units      of_group   of GROUP: the group
-- Returns its id, or null when what counts is somebody else's.
CREATE OR REPLACE FUNCTION ledger.limits_own_order(
  of_store text, of_user text, scope text, of_attendee text, of_group text
) RETURNS uuid
LANGUAGE sql STABLE
AS $$
  SELECT o.order_id
  FROM ledger.orders AS o
  WHERE o.user_id = of_user AND o.store_id = of_store
    AND CASE scope WHEN 'OPEN_ORDERS' THEN o.state = 'HELD' WHEN 'UNFULFILLED' THEN o.state IN ('HELD', 'CONFIRMED')
      ELSE o.state IN ('HELD', 'CONFIRMED', 'FULFILLED') AND EXISTS (
        SELECT FROM ledger.order_lines AS l JOIN ledger.skus AS sku ON sku.sku_id = l.sku_id
        WHERE l.order_id = o.order_id AND l.attendee_id = of_attendee
          AND (of_group IS NULL OR scope = 'STORE' OR sku.limit_group = of_group)) END
  ORDER BY o.created_at DESC, o.order_id DESC LIMIT 1
$$;
REVOKE EXECUTE ON FUNCTION ledger.limits_own_order FROM holdfast_runtime;
