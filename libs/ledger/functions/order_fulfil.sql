-- Notes that an order was used: at the door, at the counter.
--   id                  the order; null: the one with the code
--   of_store, of_code   the code, as it is written in the ledger
--   by_whom             who did it
-- Returns one row: outcome and the order as it is now (a row of order_rows): fulfilled_at says when it was the first time.
--   FULFILLED  by this call    UNCHANGED  it was already
--   REFUSED    its state does not allow it    NOT_FOUND  there is none
CREATE OR REPLACE FUNCTION ledger.order_fulfil(id uuid, of_store text, of_code text, by_whom text)
RETURNS TABLE (outcome text, order_row json)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  o orders%ROWTYPE;
  target uuid := id;
  result text := 'NOT_FOUND';
BEGIN
  IF target IS NULL THEN
    SELECT order_id INTO target FROM orders WHERE store_id = of_store AND code = of_code;
  END IF;
  SELECT * INTO o FROM orders WHERE order_id = target FOR NO KEY UPDATE;
  IF FOUND THEN
    SELECT CASE t.effect WHEN 'KEEP' THEN 'FULFILLED' WHEN 'NONE' THEN 'UNCHANGED' ELSE 'REFUSED' END
    INTO STRICT result FROM orders_transition('FULFIL', ARRAY[target], NULL) AS t;
    INSERT INTO order_changes (order_id, order_version, verb, changed_by, at)
    SELECT target, o.version + 1, 'FULFIL', by_whom, clock() WHERE result = 'FULFILLED';
  END IF;
  RETURN QUERY SELECT result, (
    SELECT row_to_json(r) FROM order_rows AS r WHERE r.order_id = target AND result <> 'NOT_FOUND');
END $$;
