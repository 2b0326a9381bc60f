-- Repairs what was found, in the order of what counts: orders with their lines, then movements, then counters. Nothing is
-- deleted, and what moves units leaves a row REPAIR. The caller holds the stock of every sku that is named.
--   violations, sku_ids, order_ids, details   the findings, as reconcile_again gives them
--   at                                        when
CREATE OR REPLACE FUNCTION ledger.reconcile_repair(
  violations text[], sku_ids text[], order_ids uuid[], details jsonb[], at timestamptz
) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = ledger, pg_temp
SET enable_seqscan = off SET jit = off
AS $$
#variable_conflict use_column
BEGIN
  -- Numbered downwards from 0, so that no version of the order is taken.
  INSERT INTO movements (order_id, sku_id, order_version, delta_free, delta_reserved, delta_held, delta_sold, reason, at)
  SELECT f.order_id, f.sku_id, least(0, (
      SELECT min(m.order_version) FROM movements AS m WHERE m.order_id = f.order_id AND m.sku_id = f.sku_id
    )) - 1, -f.reserved - f.held - f.sold, f.reserved, f.held, f.sold, 'REPAIR', at
  FROM (
    SELECT f.order_id, f.sku_id, 0 AS reserved, (f.detail ->> 'held')::int - (f.detail ->> 'moved_held')::int AS held,
      (f.detail ->> 'sold')::int - (f.detail ->> 'moved_sold')::int AS sold
    FROM unnest(violations, sku_ids, order_ids, details) AS f (violation, sku_id, order_id, detail)
    WHERE f.violation IN ('ORDER_WITHOUT_MOVEMENT', 'ORDER_NOT_OF_MOVEMENTS')
    UNION ALL
    SELECT f.order_id, f.sku_id, -(f.detail ->> 'reserved')::int, -(f.detail ->> 'held')::int,
      -(f.detail ->> 'sold')::int
    FROM unnest(violations, sku_ids, order_ids, details) AS f (violation, sku_id, order_id, detail)
    WHERE f.violation = 'MOVEMENT_WITHOUT_LINE'
  ) AS f;

  INSERT INTO attendee_units AS a (sku_id, attendee_id, units)
  SELECT f.sku_id, f.detail -> 'differs' ->> 'attendee_id', (f.detail ->> 'of_lines')::int
  FROM unnest(violations, sku_ids, details) AS f (violation, sku_id, detail) WHERE f.violation = 'UNITS_NOT_OF_LINES'
  ON CONFLICT (sku_id, attendee_id) DO UPDATE SET units = excluded.units;
  PERFORM limits_note(array_agg(f.sku_id), array_agg(f.detail -> 'differs' ->> 'attendee_id'))
  FROM unnest(violations, sku_ids, details) AS f (violation, sku_id, detail) WHERE f.violation = 'UNITS_NOT_OF_LINES';

  UPDATE order_lines AS l SET held_until = o.expires_at
  FROM unnest(violations, sku_ids, order_ids, details) AS f (violation, sku_id, order_id, detail)
  JOIN orders AS o ON o.order_id = f.order_id
  WHERE f.violation = 'HOLD_NOT_OF_ORDER' AND l.order_id = f.order_id AND l.sku_id = f.sku_id
    AND l.attendee_id = f.detail ->> 'attendee_id';

  INSERT INTO outbox (order_id, order_version, state, at)
  SELECT o.order_id, o.version, o.state, at
  FROM unnest(violations, order_ids) AS f (violation, order_id) JOIN orders AS o ON o.order_id = f.order_id
  WHERE f.violation = 'EVENT_MISSING'
  ON CONFLICT (order_id, kind, order_version) DO UPDATE SET state = excluded.state, at = excluded.at, published_at = NULL;

  WITH found AS (
    SELECT f.sku_id, max((f.detail -> 'of_lines' ->> 'held')::int) AS held,
      max((f.detail -> 'of_lines' ->> 'sold')::int) AS sold,
      max((f.detail -> 'of_movements' ->> 'reserved')::int) AS reserved,
      max((f.detail -> 'of_movements' ->> 'capacity')::int) AS capacity,
      max((f.detail -> 'of_movements' ->> 'overbooked')::int) AS overbooked
    FROM unnest(violations, sku_ids, details) AS f (violation, sku_id, detail)
    WHERE f.violation IN ('STOCK_NOT_CONSERVED', 'STOCK_NOT_OF_LINES', 'STOCK_NOT_OF_MOVEMENTS') GROUP BY f.sku_id
  ), counted AS (
    SELECT s.sku_id, s.capacity, coalesce(f.held, s.held) AS held, coalesce(f.sold, s.sold) AS sold,
      coalesce(f.reserved, s.reserved) AS reserved, coalesce(f.capacity, s.capacity) AS changed_capacity,
      coalesce(f.overbooked, s.overbooked) AS changed_overbooked, 1 + greatest(s.version, (
        SELECT max(c.stock_version) FROM stock_changes AS c WHERE c.sku_id = s.sku_id
      )) AS version
    FROM found AS f JOIN stock AS s ON s.sku_id = f.sku_id
  ), repaired AS (
    UPDATE stock AS s SET held = c.held, sold = c.sold, reserved = c.reserved,
      free = greatest(c.capacity - c.reserved - c.held - c.sold, 0),
      overbooked = greatest(c.reserved + c.held + c.sold - c.capacity, 0), version = c.version
    FROM counted AS c WHERE s.sku_id = c.sku_id
    RETURNING s.sku_id, s.version, s.capacity - c.changed_capacity AS capacity,
      s.overbooked - c.changed_overbooked AS overbooked
  )
  INSERT INTO stock_changes (sku_id, stock_version, delta_capacity, delta_overbooked, delta_free, reason, at)
  SELECT r.sku_id, r.version, r.capacity, r.overbooked, r.capacity + r.overbooked, 'REPAIR', at
  FROM repaired AS r WHERE (r.capacity, r.overbooked) <> (0, 0);
  PERFORM waiters_promote(ARRAY(SELECT DISTINCT f.sku_id FROM unnest(sku_ids) AS f (sku_id)), at);
END $$;
REVOKE EXECUTE ON FUNCTION ledger.reconcile_repair FROM holdfast_runtime;
