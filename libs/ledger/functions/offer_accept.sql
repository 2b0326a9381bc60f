-- Takes an offer for which nothing is to be paid.
--   id      the entry    caller  its user; null: anybody's
-- Returns one row: outcome and the entry as it is now (a row of waitlist_rows).
--   ACCEPTED   by this call          UNCHANGED  it was taken already
--   UNPAID     its order is to be paid for: paying takes it
--   REFUSED    there is no offer, or it is over
--   NOT_FOUND  there is no such entry, or it is another user's
CREATE OR REPLACE FUNCTION ledger.offer_accept(id uuid, caller text)
RETURNS TABLE (outcome text, entry_row json)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  entry waitlist_entries%ROWTYPE;
  result text := 'REFUSED';
BEGIN
  SELECT * INTO entry FROM waitlist_entries WHERE entry_id = id AND (caller IS NULL OR user_id = caller);
  IF NOT FOUND THEN
    RETURN QUERY SELECT 'NOT_FOUND', NULL::json;
    RETURN;
  END IF;
  IF entry.state = 'PROMOTED' THEN
    result := 'UNCHANGED';
  ELSIF entry.state = 'OFFERED' THEN
    IF (SELECT payment_required FROM skus WHERE sku_id = entry.sku_id) THEN
      result := 'UNPAID';
    ELSE
      SELECT CASE t.effect WHEN 'SELL' THEN 'ACCEPTED' WHEN 'NONE' THEN 'UNCHANGED' ELSE 'REFUSED' END
      INTO STRICT result FROM orders_transition('ACCEPT', ARRAY[entry.order_id], NULL) AS t;
    END IF;
  END IF;
  RETURN QUERY SELECT result, row_to_json(r) FROM waitlist_rows AS r WHERE r.entry_id = id;
END $$;
