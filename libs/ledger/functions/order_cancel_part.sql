-- Gives some units of an order back; all of them: the order ends as by order_cancel.
--   id … by_whom  as for order_cancel
--   skus, attendees, quantities  how many units of which lines; a line may come more than once
--   request       the same request again changes nothing
-- Returns one row: outcome and the order as it is now (a row of order_rows). Beside those of order_cancel:
--   NOT_IN_ORDER  the order has not so many units of a line
--   REUSED        the request was about another change of the order, or about other lines
-- Of a HELD order the amount falls, so that an open attempt to pay ends; of a CONFIRMED one that part of the money goes back.
CREATE OR REPLACE FUNCTION ledger.order_cancel_part(
  id uuid, caller text, note text, as_role text, by_whom text, skus text[], attendees text[], quantities int[], request text
) RETURNS TABLE (outcome text, order_row json)
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
  named jsonb;
  bars text[]; back bigint; late bigint; asked bigint; matched int; whole bigint;
  result text;
BEGIN
  SELECT array_agg(w.sku_id), array_agg(w.attendee_id), array_agg(w.units),
    jsonb_agg(jsonb_build_array(w.sku_id, w.attendee_id, w.units) ORDER BY w.sku_id, w.attendee_id)
  INTO skus, attendees, quantities, named
  FROM (
    SELECT w.sku_id, w.attendee_id, sum(w.quantity)::int AS units
    FROM unnest(skus, attendees, quantities) AS w (sku_id, attendee_id, quantity)
    WHERE w.quantity > 0 GROUP BY w.sku_id, w.attendee_id
  ) AS w;
  SELECT * INTO o FROM orders WHERE order_id = id AND (caller IS NULL OR user_id = caller) FOR NO KEY UPDATE;
  PERFORM FROM stock WHERE sku_id = ANY (ARRAY(SELECT l.sku_id FROM order_lines AS l WHERE l.order_id = o.order_id))
  ORDER BY sku_id FOR NO KEY UPDATE;
  at := clock();
  SELECT * INTO known FROM order_changes AS c WHERE c.order_id = id AND c.request_id = request;
  SELECT count(*), array_agg(cancel_bar(sku, at)), sum(w.quantity), sum(w.quantity * l.unit_price_minor),
    coalesce(sum(w.quantity * l.unit_price_minor) FILTER (WHERE cancel_bar(sku, at) = 'NO_REFUND'), 0)
  INTO matched, bars, asked, back, late
  FROM unnest(skus, attendees, quantities) AS w (sku_id, attendee_id, quantity)
  JOIN order_lines AS l ON l.order_id = id AND l.sku_id = w.sku_id AND l.attendee_id = w.attendee_id
    AND w.quantity BETWEEN 1 AND l.quantity
  JOIN skus AS sku ON sku.sku_id = l.sku_id;
  SELECT sum(l.quantity) INTO whole FROM order_lines AS l WHERE l.order_id = id;
  result := CASE
    WHEN o.order_id IS NULL THEN 'NOT_FOUND'
    WHEN known.order_id IS NOT NULL THEN
      CASE WHEN known.verb = 'CANCEL_PART' AND coalesce(known.asked = named, true) THEN 'UNCHANGED' ELSE 'REUSED' END
    WHEN o.state <> 'CONFIRMED' AND (o.state <> 'HELD' OR o.expires_at <= at) THEN 'REFUSED'
    WHEN matched IS DISTINCT FROM cardinality(skus) THEN 'NOT_IN_ORDER'
    WHEN asked < whole AND o.state = 'CONFIRMED' AND as_role = 'USER' AND 'REFUSE' = ANY (bars) THEN 'TOO_LATE' END;

  IF result IS NULL AND asked = whole THEN
    SELECT c.outcome INTO STRICT result FROM order_cancel(id, caller, note, as_role, by_whom) AS c;
    UPDATE order_changes SET verb = 'CANCEL_PART', request_id = request, asked = named
    WHERE order_id = id AND order_version = o.version + 1 AND result = 'CANCELLED';
  ELSIF result IS NULL THEN
    result := 'CANCELLED';
    UPDATE orders SET version = version + 1, amount_minor = amount_minor - back, updated_at = at WHERE order_id = id;
    DELETE FROM order_lines AS l USING unnest(skus, attendees, quantities) AS w (sku_id, attendee_id, quantity)
    WHERE l.order_id = id AND l.sku_id = w.sku_id AND l.attendee_id = w.attendee_id AND l.quantity = w.quantity;
    UPDATE order_lines AS l SET quantity = l.quantity - w.quantity
    FROM unnest(skus, attendees, quantities) AS w (sku_id, attendee_id, quantity)
    WHERE l.order_id = id AND l.sku_id = w.sku_id AND l.attendee_id = w.attendee_id;
    PERFORM units_move(array_agg(id), array_agg(o.version + 1), array_agg(m.sku_id), array_agg(m.units),
      array_agg(0), array_agg(CASE o.state WHEN 'HELD' THEN -m.units ELSE 0 END),
      array_agg(CASE o.state WHEN 'HELD' THEN 0 ELSE -m.units END),
      skus, attendees, ARRAY(SELECT -q FROM unnest(quantities) WITH ORDINALITY AS q (q, i) ORDER BY i), 'CANCEL_PART', at)
    FROM (
      SELECT w.sku_id, sum(w.quantity)::int AS units FROM unnest(skus, quantities) AS w (sku_id, quantity) GROUP BY w.sku_id
    ) AS m;
    UPDATE payment_attempts SET state = 'ENDED' WHERE order_id = id AND state = 'OPEN';
    PERFORM order_part_refund(id, back, CASE as_role WHEN 'USER' THEN late ELSE 0 END, at);
    INSERT INTO outbox (order_id, order_version, state, at) VALUES (id, o.version + 1, o.state, at);
    INSERT INTO order_changes (order_id, order_version, verb, changed_by, note, request_id, asked, at)
    VALUES (id, o.version + 1, 'CANCEL_PART', by_whom, note, request, named, at);
  END IF;
  RETURN QUERY SELECT result, (
    SELECT row_to_json(r) FROM order_rows AS r WHERE r.order_id = id AND result <> 'NOT_FOUND');
END $$;
