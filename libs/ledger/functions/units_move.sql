-- Moves units of orders: the one place outside of admission where a change of an order changes stock.
--   order_ids, versions, sku_ids   each order, the version that moves its units, and a sku of it, once
--   frees, reserveds, helds, solds what each place of the sku gains, negative: loses; each row adds up to zero
--   unit_skus, unit_attendees, unit_deltas   units that attendees take, negative: give back; every pair once
--   why, at                        what the movements are kept with
-- Units that come back first shrink what their sku is overbooked by; the rest goes to who waits for the sku, else it is
-- free.
-- The caller holds the locks of the orders, then of the skus.
CREATE OR REPLACE FUNCTION ledger.units_move(
  order_ids uuid[], versions int[], sku_ids text[], frees int[], reserveds int[], helds int[], solds int[],
  unit_skus text[], unit_attendees text[], unit_deltas int[], why text, at timestamptz
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  moved int;
BEGIN
  UPDATE attendee_units AS a SET units = a.units + u.delta
  FROM unnest(unit_skus, unit_attendees, unit_deltas) AS u (sku_id, attendee_id, delta)
  WHERE a.sku_id = u.sku_id AND a.attendee_id = u.attendee_id;
  IF 0 < ANY (unit_deltas) THEN
    INSERT INTO attendee_units (sku_id, attendee_id, units)
    SELECT u.sku_id, u.attendee_id, u.delta
    FROM unnest(unit_skus, unit_attendees, unit_deltas) AS u (sku_id, attendee_id, delta)
    WHERE u.delta > 0
    ON CONFLICT DO NOTHING;
    PERFORM limits_note(array_agg(u.sku_id), array_agg(u.attendee_id))
    FROM unnest(unit_skus, unit_attendees, unit_deltas) AS u (sku_id, attendee_id, delta) WHERE u.delta > 0;
  END IF;

  WITH moved AS (
    INSERT INTO movements (order_id, sku_id, order_version, delta_free, delta_reserved, delta_held, delta_sold,
      reason, at)
    SELECT m.order_id, m.sku_id, m.version, m.free, m.reserved, m.held, m.sold, why, at
    FROM unnest(order_ids, versions, sku_ids, frees, reserveds, helds, solds)
      AS m (order_id, version, sku_id, free, reserved, held, sold)
    RETURNING sku_id, delta_free, delta_reserved, delta_held, delta_sold
  ), moved_of_sku AS (
    SELECT m.*, greatest(0, least(s.overbooked, m.free)) AS absorbed
    FROM (
      SELECT sku_id, sum(delta_free)::int AS free, sum(delta_reserved)::int AS reserved, sum(delta_held)::int AS held,
        sum(delta_sold)::int AS sold
      FROM moved GROUP BY sku_id
    ) AS m
    JOIN stock AS s ON s.sku_id = m.sku_id
  ), absorbed AS (
    INSERT INTO stock_changes (sku_id, stock_version, delta_capacity, delta_overbooked, delta_free, reason, at)
    SELECT s.sku_id, s.version + 1, 0, -m.absorbed, -m.absorbed, 'ABSORB', at
    FROM moved_of_sku AS m JOIN stock AS s ON s.sku_id = m.sku_id WHERE m.absorbed > 0
  )
  UPDATE stock AS s SET overbooked = s.overbooked - m.absorbed, free = s.free + m.free - m.absorbed,
    reserved = s.reserved + m.reserved, held = s.held + m.held, sold = s.sold + m.sold, version = s.version + 1
  FROM moved_of_sku AS m WHERE s.sku_id = m.sku_id;
  GET DIAGNOSTICS moved = ROW_COUNT;
  IF moved <> (SELECT count(DISTINCT m.sku_id) FROM unnest(sku_ids) AS m (sku_id)) THEN
    RAISE data_corrupted USING MESSAGE = 'units_move: the stock did not change as decided';
  END IF;

  PERFORM waiters_unbar(u.sku_id, array_agg(u.attendee_id))
  FROM unnest(unit_skus, unit_attendees, unit_deltas) AS u (sku_id, attendee_id, delta)
  JOIN stock AS s ON s.sku_id = u.sku_id
  WHERE u.delta < 0 AND s.waiting > 0 GROUP BY u.sku_id;
  IF 0 < ANY (frees) THEN
    PERFORM waiters_promote(sku_ids, at);
  END IF;
END $$;
REVOKE EXECUTE ON FUNCTION ledger.units_move FROM holdfast_runtime;
