-- A user's orders, newest first.
--   of_user     the user
--   before_at, before_id   the last order of the page before: created_at and id; null: from the newest
--   at_most     rows
CREATE OR REPLACE FUNCTION ledger.orders_list_by_user(of_user text, before_at timestamptz, before_id uuid, at_most int)
RETURNS SETOF ledger.order_rows
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
BEGIN
  RETURN QUERY SELECT * FROM order_rows AS o
  WHERE o.user_id = of_user AND (o.created_at, o.order_id)
    < (coalesce(before_at, 'infinity'), coalesce(before_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
  ORDER BY o.created_at DESC, o.order_id DESC LIMIT at_most;
END $$;
