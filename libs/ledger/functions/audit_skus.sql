-- Recomputes the units of some skus, from one snapshot, and lists what does not hold. Everything is found from the lines
-- of the skus through indexes, so that it costs as much as these skus have orders, however large the ledger is.
--   sku_ids  the skus
-- Returns one row a violation: what, the sku and the order it is about, and the figures; `differs` of them stays the
-- same while units move. What:
--   STOCK_NOT_CONSERVED       capacity + overbooked is not free + reserved + held + sold; also units free of an
--                             overbooked sku
--   STOCK_NOT_OF_LINES        held and sold are not the units of live orders
--   STOCK_NOT_OF_MOVEMENTS    a term is not the sum of its changes and movements
--   ORDER_WITHOUT_MOVEMENT    a live order's units of a sku were never taken
--   ORDER_NOT_OF_MOVEMENTS    they are not what its movements add up to
--   UNITS_NOT_OF_LINES        an attendee's units are not those of live orders
--   LIMIT_EXCEEDED            an attendee has more than per_user_limit, beyond what staff forced; also after an operator
--                             lowered it
--   HOLD_NOT_OF_ORDER         a line is held until another instant than its order
--   WAITING_NOT_OF_ENTRIES    who waits is counted otherwise, in the stock or in a block of arrivals, than entries say
--   WAITER_PASSED_OVER        units are free though somebody waits who is not barred, and the sale is not over
--   UNITS_KEPT_FOR_NOBODY     units are reserved though nobody waits
--   OFFER_NOT_OF_ORDER        an entry is offered an order that is not held, or that is not its own
--   SKU_MISSING, STOCK_MISSING   the row that the other one needs, or both are of different stores
CREATE OR REPLACE FUNCTION ledger.audit_skus(sku_ids text[])
RETURNS TABLE (violation text, sku_id text, order_id uuid, detail jsonb)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH lines AS MATERIALIZED (
    SELECT l.sku_id, l.order_id, l.attendee_id, l.held_until, o.order_id IS NOT NULL AS has_order, o.expires_at,
      CASE WHEN o.state = 'HELD' THEN l.quantity ELSE 0 END AS held,
      CASE WHEN o.state IN ('CONFIRMED', 'FULFILLED') THEN l.quantity ELSE 0 END AS sold
    FROM order_lines AS l LEFT JOIN orders AS o ON o.order_id = l.order_id
    WHERE l.sku_id = ANY (sku_ids)
  ), of_orders AS MATERIALIZED (
    SELECT l.sku_id, l.order_id, l.held, l.sold, m.*
    FROM (
      SELECT l.sku_id, l.order_id, sum(l.held) AS held, sum(l.sold) AS sold FROM lines AS l
      GROUP BY l.sku_id, l.order_id
    ) AS l
    CROSS JOIN LATERAL (
      SELECT count(*) AS moved, coalesce(sum(m.delta_free), 0) AS moved_free,
        coalesce(sum(m.delta_reserved), 0) AS moved_reserved, coalesce(sum(m.delta_held), 0) AS moved_held,
        coalesce(sum(m.delta_sold), 0) AS moved_sold
      FROM movements AS m WHERE m.order_id = l.order_id AND m.sku_id = l.sku_id
    ) AS m
  ), of_skus AS MATERIALIZED (
    SELECT t.sku_id, sum(t.held) AS held, sum(t.sold) AS sold, sum(t.capacity) AS moved_capacity,
      sum(t.overbooked) AS moved_overbooked, sum(t.moved_free) AS moved_free, sum(t.moved_reserved) AS moved_reserved,
      sum(t.moved_held) AS moved_held, sum(t.moved_sold) AS moved_sold
    FROM (
      SELECT o.sku_id, o.held, o.sold, 0 AS capacity, 0 AS overbooked, o.moved_free, o.moved_reserved, o.moved_held,
        o.moved_sold
      FROM of_orders AS o
      UNION ALL
      -- Of orders that went to another sku: what was reserved for them came back free.
      SELECT p.sku_id, 0, 0, 0, 0, gone.moved_free, gone.moved_reserved, 0, 0
      FROM movements AS p
      CROSS JOIN LATERAL (
        SELECT sum(m.delta_free) AS moved_free, sum(m.delta_reserved) AS moved_reserved
        FROM movements AS m WHERE m.order_id = p.order_id AND m.sku_id = p.sku_id
        HAVING (sum(m.delta_held), sum(m.delta_sold)) = (0, 0)
      ) AS gone
      WHERE p.sku_id = ANY (sku_ids) AND p.reason <> '' AND p.reason = 'PROMOTE' AND p.delta_reserved <> 0
        AND NOT EXISTS (SELECT FROM order_lines AS l WHERE l.order_id = p.order_id AND l.sku_id = p.sku_id)
      UNION ALL
      SELECT c.sku_id, 0, 0, c.delta_capacity, c.delta_overbooked, c.delta_free, c.delta_reserved, 0, 0
      FROM stock_changes AS c WHERE c.sku_id = ANY (sku_ids)
      UNION ALL
      SELECT w.sku_id, 0, 0, 0, 0, 0, 0, 0, 0 FROM unnest(sku_ids) AS w (sku_id)
    ) AS t
    GROUP BY t.sku_id
  ), compared AS MATERIALIZED (
    SELECT s.*, t.held AS lines_held, t.sold AS lines_sold, t.moved_capacity, t.moved_overbooked, t.moved_free,
      t.moved_reserved, t.moved_held, t.moved_sold
    FROM of_skus AS t JOIN stock AS s ON s.sku_id = t.sku_id
  )
  SELECT 'STOCK_NOT_CONSERVED', s.sku_id, NULL::uuid, jsonb_build_object(
    'differs', s.capacity::bigint + s.overbooked - s.free - s.reserved - s.held - s.sold,
    'capacity', s.capacity, 'overbooked', s.overbooked, 'free', s.free, 'reserved', s.reserved, 'held', s.held,
    'sold', s.sold)
  FROM compared AS s
  WHERE s.capacity::bigint + s.overbooked <> s.free::bigint + s.reserved + s.held + s.sold
    OR least(s.capacity, s.overbooked, s.free, s.reserved, s.held, s.sold) < 0 OR least(s.overbooked, s.free) > 0
  UNION ALL
  SELECT 'STOCK_NOT_OF_LINES', s.sku_id, NULL, jsonb_build_object(
    'differs', jsonb_build_object('held', s.held - s.lines_held, 'sold', s.sold - s.lines_sold),
    'capacity', s.capacity, 'overbooked', s.overbooked, 'reserved', s.reserved, 'held', s.held, 'sold', s.sold,
    'of_lines', jsonb_build_object('held', s.lines_held, 'sold', s.lines_sold))
  FROM compared AS s WHERE (s.held, s.sold) <> (s.lines_held, s.lines_sold)
  UNION ALL
  SELECT 'STOCK_NOT_OF_MOVEMENTS', s.sku_id, NULL, jsonb_build_object(
    'differs', jsonb_build_object('capacity', s.capacity - s.moved_capacity,
      'overbooked', s.overbooked - s.moved_overbooked, 'free', s.free - s.moved_free,
      'reserved', s.reserved - s.moved_reserved, 'held', s.held - s.moved_held, 'sold', s.sold - s.moved_sold),
    'of_movements', jsonb_build_object('capacity', s.moved_capacity, 'overbooked', s.moved_overbooked,
      'free', s.moved_free, 'reserved', s.moved_reserved, 'held', s.moved_held, 'sold', s.moved_sold))
  FROM compared AS s
  WHERE (s.capacity, s.overbooked, s.free, s.reserved, s.held, s.sold) <> (
    s.moved_capacity, s.moved_overbooked, s.moved_free, s.moved_reserved, s.moved_held, s.moved_sold)
  UNION ALL
  SELECT CASE WHEN o.moved = 0 THEN 'ORDER_WITHOUT_MOVEMENT' ELSE 'ORDER_NOT_OF_MOVEMENTS' END, o.sku_id, o.order_id,
    jsonb_build_object('held', o.held, 'sold', o.sold, 'moved_held', o.moved_held, 'moved_sold', o.moved_sold)
  FROM of_orders AS o WHERE (o.held, o.sold) <> (o.moved_held, o.moved_sold)
  UNION ALL
  SELECT 'UNITS_NOT_OF_LINES', u.sku_id, NULL, jsonb_build_object(
    'differs', jsonb_build_object('attendee_id', u.attendee_id, 'units', sum(u.units) - sum(u.of_lines)),
    'units', sum(u.units), 'of_lines', sum(u.of_lines))
  FROM (
    SELECT l.sku_id, l.attendee_id, 0 AS units, l.held + l.sold AS of_lines FROM lines AS l
    UNION ALL
    SELECT a.sku_id, a.attendee_id, a.units, 0 FROM attendee_units AS a WHERE a.sku_id = ANY (sku_ids)
  ) AS u
  GROUP BY u.sku_id, u.attendee_id HAVING sum(u.units) <> sum(u.of_lines)
  UNION ALL
  SELECT 'LIMIT_EXCEEDED', a.sku_id, NULL, jsonb_build_object(
    'attendee_id', a.attendee_id, 'units', a.units, 'limit', sku.per_user_limit)
  FROM attendee_units AS a JOIN skus AS sku ON sku.sku_id = a.sku_id
  WHERE a.sku_id = ANY (sku_ids) AND a.units > sku.per_user_limit AND a.units > sku.per_user_limit + (
    SELECT coalesce(sum(l.quantity), 0) FROM ledger.order_lines AS l JOIN ledger.orders AS o ON o.order_id = l.order_id
    WHERE l.sku_id = a.sku_id AND l.attendee_id = a.attendee_id AND o.state IN ('HELD', 'CONFIRMED', 'FULFILLED')
      AND o.channel = 'STAFF' AND EXISTS (
        SELECT FROM ledger.control_changes AS c WHERE c.what = 'FORCE' AND c.request_id = o.order_id::text))
  UNION ALL
  SELECT 'HOLD_NOT_OF_ORDER', l.sku_id, l.order_id, jsonb_build_object(
    'attendee_id', l.attendee_id, 'held_until', l.held_until, 'expires_at', l.expires_at)
  FROM lines AS l WHERE l.has_order AND l.held_until IS DISTINCT FROM l.expires_at
  UNION ALL
  SELECT * FROM audit_waitlists(sku_ids)
  UNION ALL
  SELECT CASE WHEN s.sku_id IS NULL THEN 'STOCK_MISSING' ELSE 'SKU_MISSING' END, w.sku_id, NULL,
    jsonb_build_object('stock_of', s.store_id, 'sku_of', sku.store_id)
  FROM unnest(sku_ids) AS w (sku_id)
  LEFT JOIN stock AS s ON s.sku_id = w.sku_id LEFT JOIN skus AS sku ON sku.sku_id = w.sku_id
  WHERE s.store_id IS DISTINCT FROM sku.store_id;
END $$;
