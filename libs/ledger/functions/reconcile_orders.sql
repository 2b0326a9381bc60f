-- Looks at some orders, and at whatever belongs to them, from one snapshot.
--   order_ids  the orders, known or not
--   at_most    findings
-- Returns one row: how many of the orders there are; how many findings; and the findings, as reconcile_look gives them.
CREATE OR REPLACE FUNCTION ledger.reconcile_orders(order_ids uuid[], at_most int)
RETURNS TABLE (orders bigint, found bigint, findings json)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH found AS MATERIALIZED (
    SELECT * FROM audit_orders(order_ids)
    UNION ALL
    SELECT f.* FROM unnest(order_ids) AS o (order_id) CROSS JOIN LATERAL audit_orphans(o.order_id, o.order_id) AS f
  )
  SELECT (SELECT count(*) FROM orders AS o WHERE o.order_id = ANY (order_ids)), (SELECT count(*) FROM found), (
      SELECT coalesce(json_agg(f), '[]') FROM (
        SELECT f.violation AS kind, f.sku_id, f.order_id, f.detail,
          CASE WHEN s.sku_id IS NULL THEN '' ELSE audit_remedy(f.violation) END AS remedy
        FROM (SELECT * FROM found AS f ORDER BY f.sku_id, f.violation, f.order_id, f.detail LIMIT at_most) AS f
        LEFT JOIN stock AS s ON s.sku_id = f.sku_id
      ) AS f
    );
END $$;
