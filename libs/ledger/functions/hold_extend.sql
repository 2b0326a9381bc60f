-- Gives a hold more time, once, while somebody pays it: as long as its shortest hold_ttl_seconds, 600 s at most.
--   id  the order    caller  its user; null: anybody's order
-- Returns one row: outcome and the order as it is now (a row of order_rows).
--   EXTENDED   by this call    UNCHANGED  it was already
--   REFUSED    it is not HELD, past its expiry, or no attempt to pay it is open
--   NOT_FOUND  there is none, or it is another user's
CREATE OR REPLACE FUNCTION ledger.hold_extend(id uuid, caller text) RETURNS TABLE (outcome text, order_row json)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  longest CONSTANT int := 600;
  o orders%ROWTYPE;
  at timestamptz;
  until timestamptz;
  result text;
BEGIN
  SELECT * INTO o FROM orders WHERE order_id = id AND (caller IS NULL OR user_id = caller) FOR NO KEY UPDATE;
  PERFORM FROM stock WHERE sku_id = ANY (ARRAY(SELECT l.sku_id FROM order_lines AS l WHERE l.order_id = o.order_id))
  ORDER BY sku_id FOR NO KEY UPDATE;
  at := clock();
  result := CASE
    WHEN o.order_id IS NULL THEN 'NOT_FOUND'
    WHEN o.state <> 'HELD' OR o.expires_at <= at THEN 'REFUSED'
    WHEN o.extended_at IS NOT NULL THEN 'UNCHANGED'
    WHEN NOT EXISTS (SELECT FROM payment_attempts AS a WHERE a.order_id = id AND a.state = 'OPEN') THEN 'REFUSED'
    ELSE 'EXTENDED' END;
  IF result = 'EXTENDED' THEN
    SELECT o.expires_at + least(longest, min(sku.hold_ttl_seconds)) * interval '1 second' INTO until
    FROM order_lines AS l JOIN skus AS sku ON sku.sku_id = l.sku_id WHERE l.order_id = id;
    UPDATE orders SET expires_at = until, extended_at = at, version = version + 1, updated_at = at WHERE order_id = id;
    UPDATE order_lines SET held_until = until WHERE order_id = id;
    UPDATE payment_attempts SET ends_at = until WHERE order_id = id AND state = 'OPEN';
    INSERT INTO outbox (order_id, order_version, state, at) VALUES (id, o.version + 1, o.state, at);
    INSERT INTO order_changes (order_id, order_version, verb, changed_by, at)
    VALUES (id, o.version + 1, 'EXTEND', o.user_id, at);
  END IF;
  RETURN QUERY SELECT result, (
    SELECT row_to_json(r) FROM order_rows AS r WHERE r.order_id = id AND result <> 'NOT_FOUND');
END $$;
