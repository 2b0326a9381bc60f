-- Orders with a line of a sku, newest first.
--   of_sku      the sku
--   before_at, before_id   the last order of the page before: created_at and id; null: from the newest
--   at_most     rows
CREATE OR REPLACE FUNCTION ledger.orders_list_by_sku(of_sku text, before_at timestamptz, before_id uuid, at_most int)
RETURNS SETOF ledger.order_rows
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
SET enable_hashagg = off
AS $$
BEGIN
  RETURN QUERY SELECT o.* FROM (
    SELECT l.created_at, l.order_id FROM order_lines AS l
    WHERE l.sku_id = of_sku AND (l.created_at, l.order_id)
      < (coalesce(before_at, 'infinity'), coalesce(before_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
    GROUP BY l.created_at, l.order_id ORDER BY l.created_at DESC, l.order_id DESC LIMIT at_most
  ) AS page
  JOIN order_rows AS o ON o.order_id = page.order_id
  ORDER BY page.created_at DESC, page.order_id DESC;
END $$;
