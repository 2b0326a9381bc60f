-- What an operator decides about a payment.
--   of_provider, payment_id  the payment
--   verb       REFUND     money that pays no order goes back
--              KEEP       it pays its order after all, whatever its amount, if the order can be paid now; a refund that was
--                         asked for is withdrawn: that the provider has not made it the operator knows
--              WRITE_OFF  nothing further happens: what was due is withdrawn
--   by_whom, why, request    the operator, the reason, and the id of the request: the same one again changes nothing
-- Returns one row: outcome, the payment as it is now (payment_json), and its order (a row of order_rows).
--   SETTLED, KNOWN  now, or earlier by this request
--   REFUSED         the payment or its order do not allow it; nothing has changed
--   REUSED          the request was about something else
--   NOT_FOUND       there is no such payment
CREATE OR REPLACE FUNCTION ledger.money_settle(
  of_provider text, payment_id text, verb text, by_whom text, why text, request text
) RETURNS TABLE (outcome text, payment_row json, order_row json)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  p payments%ROWTYPE;
  change CONSTANT text := format('%s %s: %s', of_provider, payment_id, verb);
  known text;
  at timestamptz;
  result text := 'SETTLED';
BEGIN
  SELECT * INTO p FROM payments WHERE provider = of_provider AND provider_payment_id = payment_id;
  PERFORM FROM orders WHERE order_id = p.order_id FOR NO KEY UPDATE;
  SELECT * INTO p FROM payments WHERE provider = of_provider AND provider_payment_id = payment_id FOR NO KEY UPDATE;
  at := clock();
  SELECT c.became INTO known FROM control_changes AS c WHERE c.what = 'MONEY' AND c.request_id = request;
  IF known IS NOT NULL THEN
    result := CASE WHEN known = change THEN 'KNOWN' ELSE 'REUSED' END;
  ELSIF p.order_id IS NULL THEN
    result := 'NOT_FOUND';
  ELSE
    BEGIN
      IF NOT money_settle_as(p, verb, at) THEN
        RAISE SQLSTATE 'HF002' USING MESSAGE = 'money_settle: it cannot be so';
      END IF;
      PERFORM refunds_end_note(of_provider, payment_id, at);
      UPDATE payments SET settled_at = at, settled_by = by_whom, settled_reason = why
      WHERE provider = of_provider AND provider_payment_id = payment_id;
      INSERT INTO control_changes (what, scope, scope_id, was, became, reason, changed_by, changed_at, request_id)
      VALUES ('MONEY', 'ORDER', p.order_id::text, concat_ws(' ', p.state, p.issue), change, why, by_whom, at, request);
    EXCEPTION WHEN SQLSTATE 'HF002' THEN
      result := 'REFUSED';
    WHEN unique_violation THEN
      RAISE serialization_failure USING MESSAGE = 'money_settle: the request id was used meanwhile';
    END;
  END IF;
  RETURN QUERY SELECT result, (
      SELECT payment_json(q) FROM payments AS q WHERE q.provider = of_provider AND q.provider_payment_id = payment_id
    ), (SELECT row_to_json(o) FROM order_rows AS o WHERE o.order_id = p.order_id);
END $$;
