-- Recomputes where the units of a sku are, from one snapshot.
--   of_sku  the sku
-- Returns one row, or none when there is no such sku: when; the sku as it is kept (a row of sku_rows); its orders by
-- state; and the findings of reconcile_look, with orders.
CREATE OR REPLACE FUNCTION ledger.sku_prove(of_sku text, at_most int)
RETURNS TABLE (at timestamptz, sku_row json, order_states jsonb, findings json)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT clock(), row_to_json(r), (
      SELECT coalesce(jsonb_object_agg(t.state, t.orders), '{}') FROM (
        SELECT o.state, count(DISTINCT o.order_id) AS orders
        FROM order_lines AS l JOIN orders AS o ON o.order_id = l.order_id WHERE l.sku_id = of_sku GROUP BY o.state
      ) AS t
    ), (SELECT l.findings FROM reconcile_look(ARRAY[of_sku], true, at_most) AS l)
  FROM sku_rows AS r WHERE r.sku_id = of_sku;
END $$;
