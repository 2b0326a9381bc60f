-- An order and its story, from one snapshot.
--   of_order  the order
-- Returns one row: the order (a row of order_rows) and its story, [{at, order_id, what, facts}] in the order of time, at
-- most 1000; no row when there is no such order.
CREATE OR REPLACE FUNCTION ledger.order_explain(of_order uuid) RETURNS TABLE (order_row json, story json)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
  skus text[];
  since timestamptz;
  until timestamptz;
BEGIN
  SELECT o.created_at, o.updated_at, ARRAY(SELECT DISTINCT l.sku_id FROM order_lines AS l WHERE l.order_id = of_order)
  INTO since, until, skus FROM orders AS o WHERE o.order_id = of_order;
  RETURN QUERY SELECT row_to_json(o), (
    SELECT coalesce(json_agg(s), '[]') FROM (
      SELECT e.at, e.order_id, e.what, e.facts FROM (
        SELECT * FROM orders_story(ARRAY[of_order]) UNION ALL SELECT * FROM skus_story(skus, since, until)
      ) AS e
      ORDER BY e.at, e.place LIMIT 1000
    ) AS s)
  FROM order_rows AS o WHERE o.order_id = of_order;
END $$;
