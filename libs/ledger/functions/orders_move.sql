-- Moves the units of orders whose state has just changed, as the effect of each says: all its lines.
--   happening                                what the movements are kept with
--   ids, from_states, versions, effects      the orders, where they were before, by which version, and the effects
--   at                                       when
CREATE OR REPLACE FUNCTION ledger.orders_move(
  happening text, ids uuid[], from_states text[], versions int[], effects text[], at timestamptz
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  unit_skus text[]; unit_attendees text[]; unit_deltas int[];
BEGIN
  SELECT array_agg(u.sku_id), array_agg(u.attendee_id), array_agg(u.delta) INTO unit_skus, unit_attendees, unit_deltas
  FROM (
    SELECT l.sku_id, l.attendee_id,
      sum(CASE t.effect WHEN 'RELEASE' THEN -l.quantity ELSE l.quantity END)::int AS delta
    FROM unnest(ids, effects) AS t (order_id, effect) JOIN order_lines AS l ON l.order_id = t.order_id
    WHERE t.effect IN ('RELEASE', 'RETAKE') GROUP BY l.sku_id, l.attendee_id
  ) AS u;

  PERFORM units_move(array_agg(m.order_id), array_agg(m.version), array_agg(m.sku_id),
    array_agg(CASE m.effect WHEN 'RELEASE' THEN m.units WHEN 'RETAKE' THEN -m.units ELSE 0 END),
    array_agg(0), array_agg(CASE m.from_state WHEN 'HELD' THEN -m.units ELSE 0 END),
    array_agg(CASE WHEN m.effect IN ('SELL', 'RETAKE') THEN m.units WHEN m.from_state = 'CONFIRMED' THEN -m.units
      ELSE 0 END),
    unit_skus, unit_attendees, unit_deltas, happening, at)
  FROM (
    SELECT t.order_id, t.from_state, t.version + 1 AS version, t.effect, l.sku_id, sum(l.quantity)::int AS units
    FROM unnest(ids, from_states, versions, effects) AS t (order_id, from_state, version, effect)
    JOIN order_lines AS l ON l.order_id = t.order_id
    WHERE t.effect IN ('SELL', 'RETAKE', 'RELEASE')
    GROUP BY t.order_id, t.from_state, t.version, t.effect, l.sku_id
  ) AS m
  HAVING count(*) > 0;
END $$;
REVOKE EXECUTE ON FUNCTION ledger.orders_move FROM holdfast_runtime;
