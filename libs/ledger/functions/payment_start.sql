-- Begins a try to pay a hold, or gives the one that is open. The provider is called afterwards, outside of any transaction.
--   id           the order    caller  its user; null: anybody's order
--   of_provider  who takes the money; another one than that of the open attempt ends that one
--   request      the same request again is given the same attempt
-- Returns one row: outcome, the attempt (a row of payment_attempts) and the order (a row of order_rows).
--   STARTED    a new attempt    OPEN  the one that is open, or that this request began
--   REFUSED    the order is not HELD, or it is past its expiry
--   NOT_FOUND  there is none, or it is another user's
CREATE OR REPLACE FUNCTION ledger.payment_start(id uuid, caller text, of_provider text, request text)
RETURNS TABLE (outcome text, attempt_row json, order_row json)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  o orders%ROWTYPE;
  a payment_attempts%ROWTYPE;
  at timestamptz;
  result text := 'OPEN';
BEGIN
  SELECT * INTO o FROM orders WHERE order_id = id AND (caller IS NULL OR user_id = caller) FOR NO KEY UPDATE;
  at := clock();
  SELECT * INTO a FROM payment_attempts WHERE order_id = id AND request_id = request;
  IF o.order_id IS NULL THEN
    result := 'NOT_FOUND';
  ELSIF a.attempt IS NULL AND (o.state <> 'HELD' OR o.expires_at <= at) THEN
    result := 'REFUSED';
  ELSIF a.attempt IS NULL THEN
    SELECT * INTO a FROM payment_attempts WHERE order_id = id AND state = 'OPEN';
    IF a.provider IS DISTINCT FROM of_provider THEN
      UPDATE payment_attempts SET state = 'ENDED' WHERE order_id = id AND state = 'OPEN';
      INSERT INTO payment_attempts (order_id, attempt, provider, request_id, ends_at, state, created_at)
      SELECT id, 1 + count(*), of_provider, request, o.expires_at, 'OPEN', at FROM payment_attempts WHERE order_id = id
      RETURNING * INTO a;
      result := 'STARTED';
    END IF;
  END IF;
  RETURN QUERY SELECT result, CASE WHEN result IN ('STARTED', 'OPEN') THEN row_to_json(a) END, (
    SELECT row_to_json(r) FROM order_rows AS r WHERE r.order_id = id AND result <> 'NOT_FOUND');
END $$;
