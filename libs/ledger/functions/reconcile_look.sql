-- Looks at some skus and, if wanted, at their orders, from one snapshot.
--   sku_ids      the skus
--   with_orders  whether audit_orders looks at every order with a line of them
--   at_most      findings
-- Returns one row: versions of the stocks in the order of sku_ids, null for a sku that has none; how many orders have a
-- line of the skus; how many findings there are; and the findings: kind, sku_id, order_id, detail, remedy.
CREATE OR REPLACE FUNCTION ledger.reconcile_look(sku_ids text[], with_orders boolean, at_most int)
RETURNS TABLE (versions bigint[], orders bigint, found bigint, findings json)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  order_ids CONSTANT uuid[] := ARRAY(SELECT DISTINCT l.order_id FROM order_lines AS l WHERE l.sku_id = ANY (sku_ids));
BEGIN
  RETURN QUERY
  WITH found AS MATERIALIZED (
    SELECT * FROM audit_skus(sku_ids)
    UNION ALL
    SELECT * FROM audit_orders(CASE WHEN with_orders THEN order_ids ELSE '{}' END)
  )
  SELECT ARRAY(
      SELECT s.version FROM unnest(sku_ids) WITH ORDINALITY AS w (sku_id, place)
      LEFT JOIN stock AS s ON s.sku_id = w.sku_id ORDER BY w.place
    ), cardinality(order_ids)::bigint, (SELECT count(*) FROM found), (
      SELECT coalesce(json_agg(f), '[]') FROM (
        SELECT f.violation AS kind, f.sku_id, f.order_id, f.detail,
          CASE WHEN s.sku_id IS NULL THEN '' ELSE audit_remedy(f.violation) END AS remedy
        FROM (SELECT * FROM found AS f ORDER BY f.sku_id, f.violation, f.order_id, f.detail LIMIT at_most) AS f
        LEFT JOIN stock AS s ON s.sku_id = f.sku_id
      ) AS f
    );
END $$;
