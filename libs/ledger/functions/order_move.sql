-- Moves all units that an order has of one sku to another one of its store: takes them there anew, under the rules of
-- admission, and gives the old ones back, or changes nothing.
--   id                 the order    caller  its user; null: anybody's order
--   from_sku, to_sku   from null: the only sku that the order has
--   as_role, by_whom   as for order_cancel: a user cannot leave a confirmed unit that could not be cancelled for free
--   request            the same request again changes nothing
-- Returns one row: outcome, detail (the refusal), and the order as it is now (a row of order_rows).
--   MOVED          by this call    UNCHANGED  by this request, or it is there already
--   REFUSED        detail says why: terms, limits, PRICE_DIFFERS, or too few free
--   ORDER_STATE    the order is neither HELD nor CONFIRMED, or past its expiry
--   TOO_LATE       as for order_cancel
--   NOT_IN_ORDER   it has no unit of the sku, or of several and none is named
--   SKU_NOT_FOUND  the target is unknown, or another store's
--   REUSED         the request was about another change of the order, or about other skus
--   NOT_FOUND      there is none, or it is another user's
CREATE OR REPLACE FUNCTION ledger.order_move(
  id uuid, caller text, from_sku text, to_sku text, as_role text, by_whom text, request text
) RETURNS TABLE (outcome text, detail jsonb, order_row json)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  o orders%ROWTYPE;
  at timestamptz;
  known order_changes%ROWTYPE;
  source text := from_sku;
  units int;
  result text;
  refusal jsonb;
BEGIN
  SELECT * INTO o FROM orders WHERE order_id = id AND (caller IS NULL OR user_id = caller) FOR NO KEY UPDATE;
  IF source IS NULL THEN
    SELECT min(l.sku_id) INTO source FROM order_lines AS l WHERE l.order_id = id HAVING count(DISTINCT l.sku_id) = 1;
  END IF;
  PERFORM FROM stock WHERE sku_id IN (source, to_sku) ORDER BY sku_id FOR NO KEY UPDATE;
  at := clock();
  SELECT * INTO known FROM order_changes AS c WHERE c.order_id = id AND c.request_id = request;
  SELECT sum(l.quantity) INTO units FROM order_lines AS l WHERE l.order_id = id AND l.sku_id = source;
  result := CASE
    WHEN o.order_id IS NULL THEN 'NOT_FOUND'
    WHEN known.order_id IS NOT NULL THEN CASE WHEN known.verb = 'MOVE'
      AND known.note = concat(coalesce(from_sku, split_part(known.note, ' -> ', 1)), ' -> ', to_sku)
      THEN 'UNCHANGED' ELSE 'REUSED' END
    WHEN o.state <> 'CONFIRMED' AND (o.state <> 'HELD' OR o.expires_at <= at) THEN 'ORDER_STATE'
    WHEN units IS NULL THEN 'NOT_IN_ORDER'
    WHEN source = to_sku THEN 'UNCHANGED'
    WHEN NOT EXISTS (SELECT FROM skus AS s WHERE s.sku_id = to_sku AND s.store_id = o.store_id) THEN 'SKU_NOT_FOUND'
    WHEN as_role = 'USER' AND o.state = 'CONFIRMED' AND EXISTS (
      SELECT FROM skus AS s WHERE s.sku_id = source AND cancel_bar(s, at) IS NOT NULL) THEN 'TOO_LATE' END;
  IF result IS NULL THEN
    refusal := coalesce(move_bar(o, source, to_sku, at), limits_move(id, source, to_sku));
    result := CASE WHEN refusal IS NULL THEN 'MOVED' ELSE 'REFUSED' END;
  END IF;

  IF result = 'MOVED' THEN
    UPDATE orders SET version = version + 1, updated_at = at WHERE order_id = id;
    PERFORM units_move(ARRAY[id, id], ARRAY[o.version + 1, o.version + 1], ARRAY[source, to_sku], ARRAY[units, -units],
      ARRAY[0, 0], CASE o.state WHEN 'HELD' THEN ARRAY[-units, units] ELSE ARRAY[0, 0] END,
      CASE o.state WHEN 'HELD' THEN ARRAY[0, 0] ELSE ARRAY[-units, units] END,
      array_agg(u.sku_id), array_agg(u.attendee_id), array_agg(u.delta), 'MOVE', at)
    FROM (
      SELECT t.sku_id, l.attendee_id, t.sign * l.quantity AS delta
      FROM order_lines AS l CROSS JOIN (VALUES (source, -1), (to_sku, 1)) AS t (sku_id, sign)
      WHERE l.order_id = id AND l.sku_id = source
    ) AS u;
    INSERT INTO order_lines AS t (order_id, sku_id, attendee_id, quantity, unit_price_minor, held_until, created_at)
    SELECT l.order_id, to_sku, l.attendee_id, l.quantity, l.unit_price_minor, l.held_until, l.created_at
    FROM order_lines AS l WHERE l.order_id = id AND l.sku_id = source
    ON CONFLICT (order_id, sku_id, attendee_id) DO UPDATE SET quantity = t.quantity + excluded.quantity;
    DELETE FROM order_lines WHERE order_id = id AND sku_id = source;
    INSERT INTO outbox (order_id, order_version, state, at) VALUES (id, o.version + 1, o.state, at);
    INSERT INTO order_changes (order_id, order_version, verb, changed_by, note, request_id, at)
    VALUES (id, o.version + 1, 'MOVE', by_whom, format('%s -> %s', source, to_sku), request, at);
  END IF;
  RETURN QUERY SELECT result, refusal, (
    SELECT row_to_json(r) FROM order_rows AS r WHERE r.order_id = id AND result <> 'NOT_FOUND');
END $$;
