-- Ends the wait of an entry, or declines its offer.
--   id      the entry    caller  its user; null: anybody's    note  why, in words, or null
-- Returns one row: outcome and the entry as it is now (a row of waitlist_rows).
--   LEFT       by this call          DECLINED  its offer was cancelled by this call
--   UNCHANGED  it had ended already
--   REFUSED    its order is confirmed: that is cancelled as an order
--   NOT_FOUND  there is none, or it is another user's
-- An offer is cancelled through its order, whose lock comes before the stock's. Whoever is promoted between the look and
-- the lock makes this raise serialization_failure: the next try sees the offer.
CREATE OR REPLACE FUNCTION ledger.waitlist_leave(id uuid, caller text, note text)
RETURNS TABLE (outcome text, entry_row json)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  entry waitlist_entries%ROWTYPE;
  seen text;
  at timestamptz;
  result text := 'UNCHANGED';
BEGIN
  SELECT * INTO entry FROM waitlist_entries WHERE entry_id = id AND (caller IS NULL OR user_id = caller);
  IF NOT FOUND THEN
    RETURN QUERY SELECT 'NOT_FOUND', NULL::json;
    RETURN;
  END IF;
  seen := entry.state;
  IF seen = 'OFFERED' THEN
    SELECT CASE t.effect WHEN 'RELEASE' THEN 'DECLINED' WHEN 'REFUSE' THEN 'REFUSED' ELSE 'UNCHANGED' END
    INTO STRICT result FROM orders_transition('CANCEL', ARRAY[entry.order_id], note) AS t;
  ELSIF seen = 'PROMOTED' THEN
    result := 'REFUSED';
  ELSIF seen = 'WAITING' THEN
    PERFORM FROM stock WHERE sku_id = entry.sku_id FOR NO KEY UPDATE;
    at := clock();
    UPDATE waitlist_entries SET state = 'LEFT', version = version + 1, updated_at = at, left_reason = note,
      barred = NULL, barred_attendee_id = NULL
    WHERE entry_id = id AND state = 'WAITING' RETURNING * INTO entry;
    IF FOUND THEN
      result := 'LEFT';
      PERFORM waitlist_count(entry.sku_id, ARRAY[entry.place], -1);
      INSERT INTO outbox (kind, order_id, order_version, state, at)
      VALUES ('WAITLIST', id, entry.version, entry.state, at);
      -- What was collected for it goes to who waits behind it.
      PERFORM waiters_promote(ARRAY[entry.sku_id], at);
    ELSIF EXISTS (SELECT FROM waitlist_entries WHERE entry_id = id AND state = 'OFFERED') THEN
      RAISE serialization_failure USING MESSAGE = 'waitlist_leave: the entry was promoted meanwhile';
    END IF;
  END IF;
  RETURN QUERY SELECT result, row_to_json(r) FROM waitlist_rows AS r WHERE r.entry_id = id;
END $$;
