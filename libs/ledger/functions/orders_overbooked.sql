-- The orders that make a sku overbooked: of those that still have units of it, the latest, until their units are as many.
--   of_sku     the sku
--   before_at, before_id   the last order of the page before: created_at and id; null: from the newest
--   passed     units of the pages before
--   at_most    rows
-- Returns the orders (rows of order_rows), newest first, each with units: those of the sku of it and all before it.
CREATE OR REPLACE FUNCTION ledger.orders_overbooked(
  of_sku text, before_at timestamptz, before_id uuid, passed int, at_most int
) RETURNS TABLE (order_row json, units int)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
SET enable_hashagg = off
AS $$
#variable_conflict use_column
DECLARE
  beyond CONSTANT int := (SELECT s.overbooked FROM stock AS s WHERE s.sku_id = of_sku);
  units int := passed;
  found record;
BEGIN
  FOR found IN
    SELECT l.created_at, l.order_id, sum(l.quantity)::int AS quantity FROM order_lines AS l
    JOIN orders AS o ON o.order_id = l.order_id AND o.state IN ('HELD', 'CONFIRMED')
    WHERE l.sku_id = of_sku AND (l.created_at, l.order_id)
      < (coalesce(before_at, 'infinity'), coalesce(before_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
    GROUP BY l.created_at, l.order_id ORDER BY l.created_at DESC, l.order_id DESC LIMIT at_most
  LOOP
    EXIT WHEN units >= beyond;
    units := units + found.quantity;
    RETURN QUERY SELECT row_to_json(o), units FROM order_rows AS o WHERE o.order_id = found.order_id;
  END LOOP;
END $$;
