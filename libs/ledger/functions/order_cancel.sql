-- Ends an order and gives its units back once.
--   id     the order    caller  its user; null: anybody's order    note  why, in words, or null
-- Returns one row: outcome and the order as it is now (a row of order_rows).
--   CANCELLED  by this call          UNCHANGED  it had ended already
--   REFUSED    its state does not allow it
--   NOT_FOUND  there is none, or it is another user's
CREATE OR REPLACE FUNCTION ledger.order_cancel(id uuid, caller text, note text)
RETURNS TABLE (outcome text, order_row json)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  result text := 'NOT_FOUND';
BEGIN
  IF EXISTS (SELECT FROM orders WHERE order_id = id AND (caller IS NULL OR user_id = caller)) THEN
    SELECT CASE t.effect WHEN 'RELEASE' THEN 'CANCELLED' WHEN 'REFUSE' THEN 'REFUSED' ELSE 'UNCHANGED' END
    INTO STRICT result FROM orders_transition('CANCEL', ARRAY[id], note) AS t;
  END IF;
  RETURN QUERY SELECT result, (
    SELECT row_to_json(o) FROM order_rows AS o WHERE o.order_id = id AND result <> 'NOT_FOUND');
END $$;
