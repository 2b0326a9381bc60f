-- Looks at a stretch of orders and of what belongs to orders, from one snapshot, in the order of their ids.
--   after_id  the last order id of the stretch before
--   rows      so many rows of each table at most, but all rows of an order together
--   at_most   findings
-- Returns one row: last_id, the last order id of the stretch, null when it was the last one; how many orders it has;
-- how many findings; and the findings, as reconcile_look gives them.
CREATE OR REPLACE FUNCTION ledger.reconcile_orphans(after_id uuid, rows int, at_most int)
RETURNS TABLE (last_id uuid, orders bigint, found bigint, findings json)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  until CONSTANT uuid := least(
    (SELECT o.order_id FROM orders AS o WHERE o.order_id > after_id ORDER BY o.order_id OFFSET rows LIMIT 1),
    (SELECT l.order_id FROM order_lines AS l WHERE l.order_id > after_id ORDER BY l.order_id OFFSET rows LIMIT 1),
    (SELECT m.order_id FROM movements AS m WHERE m.order_id > after_id ORDER BY m.order_id OFFSET rows LIMIT 1),
    (SELECT x.order_id FROM outbox AS x WHERE x.order_id > after_id ORDER BY x.order_id OFFSET rows LIMIT 1),
    (SELECT p.order_id FROM payments AS p WHERE p.order_id > after_id ORDER BY p.order_id OFFSET rows LIMIT 1));
  upto CONSTANT uuid := coalesce(until, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  order_ids CONSTANT uuid[] := ARRAY(SELECT o.order_id FROM orders AS o WHERE o.order_id > after_id AND o.order_id <= upto);
BEGIN
  RETURN QUERY
  WITH found AS MATERIALIZED (
    SELECT * FROM audit_orders(order_ids)
    UNION ALL
    SELECT * FROM audit_orphans(after_id, upto) AS f WHERE f.order_id > after_id
  )
  SELECT until, cardinality(order_ids)::bigint, (SELECT count(*) FROM found), (
      SELECT coalesce(json_agg(f), '[]') FROM (
        SELECT f.violation AS kind, f.sku_id, f.order_id, f.detail,
          CASE WHEN s.sku_id IS NULL THEN '' ELSE audit_remedy(f.violation) END AS remedy
        FROM (SELECT * FROM found AS f ORDER BY f.sku_id, f.violation, f.order_id, f.detail LIMIT at_most) AS f
        LEFT JOIN stock AS s ON s.sku_id = f.sku_id
      ) AS f
    );
END $$;
