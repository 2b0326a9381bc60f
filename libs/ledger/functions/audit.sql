-- Recomputes what must hold, from one snapshot, and lists what does not.
--   at_most  rows
-- Returns one row a violation: what, the sku and the order it is about, and the figures. What:
--   STOCK_NOT_CONSERVED       capacity + overbooked is not free + reserved + held + sold; also units free of an
--                             overbooked sku
--   STOCK_NOT_OF_LINES        held and sold are not the units of live orders
--   STOCK_NOT_OF_MOVEMENTS    a term is not the sum of its changes and movements
--   ORDER_WITHOUT_MOVEMENT    a live order's units of a sku were never taken
--   ORDER_NOT_OF_MOVEMENTS    they are not what its movements add up to; also movements without an order
--   UNITS_NOT_OF_LINES        an attendee's units are not those of live orders
--   LIMIT_EXCEEDED            an attendee has more than per_user_limit; also after an operator lowered it
--   HOLD_NOT_OF_ORDER         a line is held until another instant than its order
--   LINES_MISSING, ORDER_MISSING, SKU_MISSING, STOCK_MISSING   a row that another one needs
--   REQUEST_ID_TWICE          two orders of one request
--   AMOUNT_NOT_OF_LINES       an order's amount is not the sum of its lines
--   EVENT_MISSING             an order's last change is not in the outbox
--   PAYMENT_NOT_SETTLED       captured money that pays for no order, or for one that is paid twice
CREATE OR REPLACE FUNCTION ledger.audit(at_most int)
RETURNS TABLE (violation text, sku_id text, order_id uuid, detail jsonb)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = ledger, pg_temp
SET jit = off
AS $$
  WITH live AS NOT MATERIALIZED (
    SELECT l.*, o.state = 'HELD' AS is_held
    FROM ledger.orders AS o JOIN ledger.order_lines AS l ON l.order_id = o.order_id
    WHERE o.state IN ('HELD', 'CONFIRMED', 'FULFILLED')
  ), lines_of_sku AS (
    SELECT sku_id, coalesce(sum(quantity) FILTER (WHERE is_held), 0) AS held,
      coalesce(sum(quantity) FILTER (WHERE NOT is_held), 0) AS sold
    FROM live GROUP BY sku_id
  ), movements_of_sku AS (
    SELECT sku_id, sum(delta_free) AS free, sum(delta_reserved) AS reserved, sum(delta_held) AS held,
      sum(delta_sold) AS sold
    FROM ledger.movements GROUP BY sku_id
  ), changes_of_sku AS (
    SELECT sku_id, sum(delta_capacity) AS capacity, sum(delta_overbooked) AS overbooked, sum(delta_free) AS free
    FROM ledger.stock_changes GROUP BY sku_id
  ), lines_of_order AS (
    SELECT order_id, sku_id, coalesce(sum(quantity) FILTER (WHERE is_held), 0) AS held,
      coalesce(sum(quantity) FILTER (WHERE NOT is_held), 0) AS sold
    FROM live GROUP BY order_id, sku_id
  ), movements_of_order AS (
    SELECT order_id, sku_id, sum(delta_held) AS held, sum(delta_sold) AS sold
    FROM ledger.movements GROUP BY order_id, sku_id
  ), lines_of_attendee AS (
    SELECT sku_id, attendee_id, sum(quantity) AS units FROM live GROUP BY sku_id, attendee_id
  )
  SELECT 'STOCK_NOT_CONSERVED', s.sku_id, NULL::uuid, to_jsonb(s)
  FROM ledger.stock AS s
  WHERE s.capacity::bigint + s.overbooked <> s.free::bigint + s.reserved + s.held + s.sold
    OR least(s.capacity, s.overbooked, s.free, s.reserved, s.held, s.sold) < 0 OR least(s.overbooked, s.free) > 0
  UNION ALL
  SELECT 'STOCK_NOT_OF_LINES', s.sku_id, NULL, jsonb_build_object('stock', s, 'lines', l)
  FROM ledger.stock AS s LEFT JOIN lines_of_sku AS l ON l.sku_id = s.sku_id
  WHERE s.held <> coalesce(l.held, 0) OR s.sold <> coalesce(l.sold, 0)
  UNION ALL
  SELECT 'STOCK_NOT_OF_MOVEMENTS', s.sku_id, NULL, jsonb_build_object('stock', s, 'changes', c, 'movements', m)
  FROM ledger.stock AS s
  LEFT JOIN changes_of_sku AS c ON c.sku_id = s.sku_id
  LEFT JOIN movements_of_sku AS m ON m.sku_id = s.sku_id
  WHERE (s.capacity, s.overbooked, s.free, s.reserved, s.held, s.sold) IS DISTINCT FROM (
    coalesce(c.capacity, 0), coalesce(c.overbooked, 0), coalesce(c.free, 0) + coalesce(m.free, 0),
    coalesce(m.reserved, 0), coalesce(m.held, 0), coalesce(m.sold, 0))
  UNION ALL
  SELECT CASE WHEN m.order_id IS NULL THEN 'ORDER_WITHOUT_MOVEMENT' ELSE 'ORDER_NOT_OF_MOVEMENTS' END,
    coalesce(l.sku_id, m.sku_id), coalesce(l.order_id, m.order_id), jsonb_build_object('lines', l, 'movements', m)
  FROM lines_of_order AS l FULL JOIN movements_of_order AS m ON m.order_id = l.order_id AND m.sku_id = l.sku_id
  WHERE (coalesce(l.held, 0), coalesce(l.sold, 0)) IS DISTINCT FROM (coalesce(m.held, 0), coalesce(m.sold, 0))
  UNION ALL
  SELECT 'UNITS_NOT_OF_LINES', coalesce(l.sku_id, a.sku_id), NULL, jsonb_build_object('lines', l, 'units', a)
  FROM lines_of_attendee AS l
  FULL JOIN ledger.attendee_units AS a ON a.sku_id = l.sku_id AND a.attendee_id = l.attendee_id
  WHERE coalesce(l.units, 0) <> coalesce(a.units, 0)
  UNION ALL
  SELECT 'LIMIT_EXCEEDED', a.sku_id, NULL, jsonb_build_object('units', a, 'limit', sku.per_user_limit)
  FROM ledger.attendee_units AS a JOIN ledger.skus AS sku ON sku.sku_id = a.sku_id
  WHERE a.units > sku.per_user_limit
  UNION ALL
  SELECT 'HOLD_NOT_OF_ORDER', l.sku_id, l.order_id, jsonb_build_object('line', l, 'order', o)
  FROM ledger.order_lines AS l JOIN ledger.orders AS o ON o.order_id = l.order_id
  WHERE l.held_until IS DISTINCT FROM o.expires_at
  UNION ALL
  SELECT 'LINES_MISSING', NULL, o.order_id, to_jsonb(o)
  FROM ledger.orders AS o
  WHERE o.state <> 'REFUSED' AND NOT EXISTS (SELECT FROM ledger.order_lines AS l WHERE l.order_id = o.order_id)
  UNION ALL
  SELECT 'ORDER_MISSING', l.sku_id, l.order_id, to_jsonb(l)
  FROM ledger.order_lines AS l
  WHERE NOT EXISTS (SELECT FROM ledger.orders AS o WHERE o.order_id = l.order_id)
  UNION ALL
  SELECT 'STOCK_MISSING', l.sku_id, l.order_id, to_jsonb(l)
  FROM live AS l
  WHERE NOT EXISTS (SELECT FROM ledger.stock AS s WHERE s.sku_id = l.sku_id)
  UNION ALL
  SELECT CASE WHEN s.sku_id IS NULL THEN 'STOCK_MISSING' ELSE 'SKU_MISSING' END, coalesce(s.sku_id, sku.sku_id), NULL,
    jsonb_build_object('stock', s, 'sku', sku)
  FROM ledger.stock AS s FULL JOIN ledger.skus AS sku ON sku.sku_id = s.sku_id
  WHERE s.sku_id IS NULL OR sku.sku_id IS NULL OR s.store_id <> sku.store_id
  UNION ALL
  SELECT 'REQUEST_ID_TWICE', NULL, min(o.order_id::text)::uuid, jsonb_build_object(
    'store_id', o.store_id, 'user_id', o.user_id, 'request_id', o.request_id, 'orders', count(*))
  FROM ledger.orders AS o GROUP BY o.store_id, o.user_id, o.request_id HAVING count(*) > 1
  UNION ALL
  SELECT 'AMOUNT_NOT_OF_LINES', NULL, o.order_id, to_jsonb(o)
  FROM ledger.orders AS o
  WHERE o.state <> 'REFUSED' AND o.amount_minor <> (
    SELECT coalesce(sum(l.quantity * l.unit_price_minor), 0) FROM ledger.order_lines AS l WHERE l.order_id = o.order_id)
  UNION ALL
  SELECT 'EVENT_MISSING', NULL, o.order_id, to_jsonb(o)
  FROM ledger.orders AS o
  WHERE o.state <> 'REFUSED' AND NOT EXISTS (
    SELECT FROM ledger.outbox AS x WHERE x.order_id = o.order_id AND x.order_version = o.version AND x.state = o.state)
  UNION ALL
  SELECT 'PAYMENT_NOT_SETTLED', NULL, p.order_id, jsonb_agg(p)
  FROM ledger.payments AS p LEFT JOIN ledger.orders AS o ON o.order_id = p.order_id
  WHERE p.state = 'CAPTURED'
  GROUP BY p.order_id, o.state HAVING count(*) > 1 OR coalesce(o.state, '') NOT IN ('CONFIRMED', 'FULFILLED')
  LIMIT at_most;
$$;
