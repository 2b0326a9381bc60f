-- Looks for rows that lack the row they belong to, in a range of order ids, from one snapshot.
--   first_id, last_id  both included
-- Returns one row a violation: what, the sku and the order it is about, and the figures. What:
--   LINES_MISSING           an order without lines
--   ORDER_MISSING           a line without its order
--   STOCK_MISSING           a live line whose sku has no stock
--   MOVEMENT_WITHOUT_LINE   units that moved and never came back, for an order that has no line of the sku
--   EVENT_WITHOUT_ORDER     an event of no order, or of a version that its order does not have yet
--   PAYMENT_WITHOUT_ORDER   captured money of no order; that of an order still to come after 20 minutes
CREATE OR REPLACE FUNCTION ledger.audit_orphans(first_id uuid, last_id uuid)
RETURNS TABLE (violation text, sku_id text, order_id uuid, detail jsonb)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT 'LINES_MISSING', NULL::text, o.order_id, jsonb_build_object('state', o.state, 'version', o.version)
  FROM orders AS o
  WHERE o.order_id BETWEEN first_id AND last_id AND o.state <> 'REFUSED'
    AND NOT EXISTS (SELECT FROM order_lines AS l WHERE l.order_id = o.order_id)
  UNION ALL
  SELECT CASE WHEN o.order_id IS NULL THEN 'ORDER_MISSING' ELSE 'STOCK_MISSING' END, l.sku_id, l.order_id,
    jsonb_build_object('attendee_id', l.attendee_id, 'quantity', l.quantity)
  FROM order_lines AS l LEFT JOIN orders AS o ON o.order_id = l.order_id
  WHERE l.order_id BETWEEN first_id AND last_id AND (o.order_id IS NULL
    OR o.state IN ('HELD', 'CONFIRMED', 'FULFILLED')
      AND NOT EXISTS (SELECT FROM stock AS s WHERE s.sku_id = l.sku_id))
  UNION ALL
  SELECT 'MOVEMENT_WITHOUT_LINE', m.sku_id, m.order_id,
    jsonb_build_object('reserved', sum(m.delta_reserved), 'held', sum(m.delta_held), 'sold', sum(m.delta_sold))
  FROM movements AS m
  WHERE m.order_id BETWEEN first_id AND last_id
    AND NOT EXISTS (SELECT FROM order_lines AS l WHERE l.order_id = m.order_id AND l.sku_id = m.sku_id)
  GROUP BY m.order_id, m.sku_id
  -- What was reserved for a waiter comes back free when the order moves to another sku.
  HAVING (sum(m.delta_held), sum(m.delta_sold)) <> (0, 0)
  UNION ALL
  SELECT 'EVENT_WITHOUT_ORDER', NULL, x.order_id, jsonb_build_object('state', x.state, 'version', x.order_version)
  FROM outbox AS x LEFT JOIN orders AS o ON o.order_id = x.order_id
  WHERE x.order_id BETWEEN first_id AND last_id AND x.kind = 'ORDER' AND x.order_version > coalesce(o.version, 0)
  UNION ALL
  SELECT 'PAYMENT_WITHOUT_ORDER', NULL, p.order_id, jsonb_build_object('provider', p.provider,
    'provider_payment_id', p.provider_payment_id, 'amount_minor', p.amount_minor, 'currency', p.currency)
  FROM payments AS p
  WHERE p.order_id BETWEEN first_id AND last_id AND p.state = 'CAPTURED'
    AND (p.issue IS DISTINCT FROM 'UNKNOWN_ORDER' OR p.at < clock() - interval '20 minutes')
    AND NOT EXISTS (SELECT FROM orders AS o WHERE o.order_id = p.order_id);
END $$;
