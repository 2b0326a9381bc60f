-- Ends an order and gives its units back once.
--   id       the order    caller  its user; null: anybody's order    note  why, in words, or null
--   as_role  USER: the terms of its skus hold; OPERATOR: they do not
--   by_whom  who is noted as the one who did it
-- Returns one row: outcome and the order as it is now (a row of order_rows).
--   CANCELLED  by this call          UNCHANGED  it had ended already
--   REFUSED    its state does not allow it
--   TOO_LATE   it is confirmed, and the terms of a sku do not allow it any more
--   NOT_FOUND  there is none, or it is another user's
-- What terms without a refund hold back of the money is retained; the rest goes back.
CREATE OR REPLACE FUNCTION ledger.order_cancel(id uuid, caller text, note text, as_role text, by_whom text)
RETURNS TABLE (outcome text, order_row json)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  o orders%ROWTYPE;
  bars text[];
  late bigint;
  result text := 'NOT_FOUND';
BEGIN
  SELECT * INTO o FROM orders WHERE order_id = id AND (caller IS NULL OR user_id = caller) FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    -- While the lock was waited for, dead_letter_replay may have put another row in the place of this one.
    SELECT * INTO o FROM orders WHERE order_id = id AND (caller IS NULL OR user_id = caller) FOR NO KEY UPDATE;
  END IF;
  IF o.state = 'CONFIRMED' AND as_role = 'USER' THEN
    SELECT array_agg(cancel_bar(sku, clock())), coalesce(sum(l.quantity * l.unit_price_minor) FILTER (
        WHERE cancel_bar(sku, clock()) = 'NO_REFUND'), 0)
    INTO bars, late
    FROM order_lines AS l JOIN skus AS sku ON sku.sku_id = l.sku_id WHERE l.order_id = id;
    IF 'REFUSE' = ANY (bars) THEN
      result := 'TOO_LATE';
    ELSE
      UPDATE payments SET retained_minor = least(amount_minor, retained_minor + late)
      WHERE order_id = id AND state = 'CAPTURED' AND late > 0;
    END IF;
  END IF;
  IF o.order_id IS NOT NULL AND result = 'NOT_FOUND' THEN
    SELECT CASE t.effect WHEN 'RELEASE' THEN 'CANCELLED' WHEN 'REFUSE' THEN 'REFUSED' ELSE 'UNCHANGED' END
    INTO STRICT result FROM orders_transition('CANCEL', ARRAY[id], note) AS t;
    INSERT INTO order_changes (order_id, order_version, verb, changed_by, note, at)
    SELECT id, o.version + 1, 'CANCEL', by_whom, note, clock() WHERE result = 'CANCELLED';
  END IF;
  RETURN QUERY SELECT result, (
    SELECT row_to_json(o) FROM order_rows AS o WHERE o.order_id = id AND result <> 'NOT_FOUND');
END $$;
