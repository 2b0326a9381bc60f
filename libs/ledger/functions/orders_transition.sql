-- The one door through which a decided order changes: looks the event up in the table of transitions and applies what
-- stands there, for all orders at once and each on its own.
--   happening  PAY, CANCEL, EXPIRE or FULFIL
--   order_ids  the orders; unknown ones are left out
--   note       with CANCEL: why, in words; else null
-- Units that come back first shrink what their sku is overbooked by; the rest is free.
-- Returns one row an order: effect, as the table has it, and changed, whether its state is another one now.
-- Locks the orders in the order of their ids, then the skus in the order of theirs. Admission locks skus and then only
-- inserts orders, so neither waits for the other in a circle.
CREATE OR REPLACE FUNCTION ledger.orders_transition(happening text, order_ids uuid[], note text)
RETURNS TABLE (order_id uuid, effect text, changed boolean)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  at timestamptz;
  ids uuid[]; from_states text[]; to_states text[]; versions int[]; effects text[];
  expected int;
  written int;
BEGIN
  PERFORM FROM orders WHERE order_id = ANY (order_ids) ORDER BY order_id FOR NO KEY UPDATE;
  PERFORM FROM stock WHERE sku_id = ANY (ARRAY(
      SELECT DISTINCT l.sku_id FROM orders AS o JOIN order_lines AS l ON l.order_id = o.order_id
      WHERE o.order_id = ANY (order_ids) AND o.state IN ('HELD', 'CONFIRMED')))
  ORDER BY sku_id FOR NO KEY UPDATE;
  at := clock();

  SELECT array_agg(o.order_id), array_agg(o.state), array_agg(o.version), array_agg(t.to_state), array_agg(t.effect),
    count(t.to_state)
  INTO ids, from_states, versions, to_states, effects, expected
  FROM orders AS o
  JOIN transitions AS t ON t.event = happening
    AND t.from_state = CASE WHEN o.state = 'HELD' AND o.expires_at <= at THEN 'LAPSED' ELSE o.state END
  WHERE o.order_id = ANY (order_ids);

  IF expected > 0 THEN
    UPDATE orders AS o SET state = t.to_state, version = o.version + 1, expires_at = NULL, updated_at = at,
      cancel_reason = CASE WHEN happening = 'CANCEL' THEN note ELSE o.cancel_reason END
    FROM unnest(ids, from_states, versions, to_states) AS t (order_id, from_state, version, to_state)
    WHERE o.order_id = t.order_id AND o.state = t.from_state AND o.version = t.version AND t.to_state IS NOT NULL;
    GET DIAGNOSTICS written = ROW_COUNT;
    IF written <> expected THEN
      RAISE data_corrupted USING MESSAGE = 'orders_transition: the orders did not change as decided';
    END IF;

    UPDATE order_lines AS l SET held_until = NULL
    FROM unnest(ids, from_states, to_states) AS t (order_id, from_state, to_state)
    WHERE l.order_id = t.order_id AND t.from_state = 'HELD' AND t.to_state IS NOT NULL;

    UPDATE attendee_units AS a SET units = a.units - u.units
    FROM (
      SELECT l.sku_id, l.attendee_id, sum(l.quantity)::int AS units
      FROM unnest(ids, effects) AS t (order_id, effect) JOIN order_lines AS l ON l.order_id = t.order_id
      WHERE t.effect = 'RELEASE' GROUP BY l.sku_id, l.attendee_id
    ) AS u
    WHERE a.sku_id = u.sku_id AND a.attendee_id = u.attendee_id;

    WITH moved AS (
      INSERT INTO movements (order_id, sku_id, order_version, delta_free, delta_reserved, delta_held, delta_sold,
        reason, at)
      SELECT t.order_id, l.sku_id, t.version + 1,
        CASE WHEN t.effect = 'RELEASE' THEN sum(l.quantity) ELSE 0 END, 0,
        CASE WHEN t.from_state = 'HELD' THEN -sum(l.quantity) ELSE 0 END,
        CASE WHEN t.effect = 'SELL' THEN sum(l.quantity)
          WHEN t.from_state = 'CONFIRMED' THEN -sum(l.quantity) ELSE 0 END,
        happening, at
      FROM unnest(ids, from_states, versions, effects) AS t (order_id, from_state, version, effect)
      JOIN order_lines AS l ON l.order_id = t.order_id
      WHERE t.effect IN ('SELL', 'RELEASE') GROUP BY t.order_id, t.from_state, t.version, t.effect, l.sku_id
      RETURNING sku_id, delta_free, delta_held, delta_sold
    ), moved_of_sku AS (
      SELECT m.sku_id, m.free, m.held, m.sold, least(s.overbooked, m.free) AS absorbed
      FROM (
        SELECT sku_id, sum(delta_free)::int AS free, sum(delta_held)::int AS held, sum(delta_sold)::int AS sold
        FROM moved GROUP BY sku_id
      ) AS m
      JOIN stock AS s ON s.sku_id = m.sku_id
    ), absorbed AS (
      INSERT INTO stock_changes (sku_id, stock_version, delta_capacity, delta_overbooked, delta_free, reason, at)
      SELECT s.sku_id, s.version + 1, 0, -m.absorbed, -m.absorbed, 'ABSORB', at
      FROM moved_of_sku AS m JOIN stock AS s ON s.sku_id = m.sku_id WHERE m.absorbed > 0
    )
    UPDATE stock AS s SET overbooked = s.overbooked - m.absorbed, free = s.free + m.free - m.absorbed,
      held = s.held + m.held, sold = s.sold + m.sold, version = s.version + 1
    FROM moved_of_sku AS m WHERE s.sku_id = m.sku_id;

    UPDATE payments AS p SET state = 'REFUND_DUE'
    FROM unnest(ids, effects) AS t (order_id, effect)
    WHERE p.order_id = t.order_id AND p.state = 'CAPTURED' AND t.effect = 'RELEASE';

    INSERT INTO outbox (order_id, order_version, state, at)
    SELECT t.order_id, t.version + 1, t.to_state, at
    FROM unnest(ids, versions, to_states) AS t (order_id, version, to_state) WHERE t.to_state IS NOT NULL;
  END IF;

  RETURN QUERY SELECT t.order_id, t.effect, t.to_state IS NOT NULL
  FROM unnest(ids, effects, to_states) AS t (order_id, effect, to_state);
END $$;
REVOKE EXECUTE ON FUNCTION ledger.orders_transition FROM holdfast_runtime;
