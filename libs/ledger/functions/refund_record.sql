-- Records money that a provider gave back.
--   of_provider, payment_id  the payment
--   of_refund                the provider's id of the refund: counts once
--   amount                   minor units
-- Returns one row: outcome and the payment as it is now (payment_json).
--   RECORDED     a refund that was asked for is DONE
--   UNREQUESTED  nobody had asked for it: it is kept, and the payment's issue is CONTRADICTED; its order stays as it is
--   KNOWN        it was recorded earlier
--   NOT_FOUND    no such payment is known: its own notice is not here yet
CREATE OR REPLACE FUNCTION ledger.refund_record(of_provider text, payment_id text, of_refund text, amount bigint)
RETURNS TABLE (outcome text, payment_row json)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  p payments%ROWTYPE;
  at timestamptz;
  result text := 'RECORDED';
BEGIN
  SELECT * INTO p FROM payments WHERE provider = of_provider AND provider_payment_id = payment_id;
  PERFORM FROM orders WHERE order_id = p.order_id FOR NO KEY UPDATE;
  SELECT * INTO p FROM payments WHERE provider = of_provider AND provider_payment_id = payment_id FOR NO KEY UPDATE;
  at := clock();
  IF p.order_id IS NULL OR p.state = 'FAILED' THEN
    RETURN QUERY SELECT 'NOT_FOUND', NULL::json;
    RETURN;
  ELSIF EXISTS (SELECT FROM refunds AS r WHERE r.provider = of_provider AND r.refund_id = of_refund) THEN
    result := 'KNOWN';
  ELSE
    UPDATE refunds AS r SET state = 'DONE', refund_id = of_refund, refunded_at = at
    WHERE (r.order_id, r.number) = (
      SELECT d.order_id, d.number FROM refunds AS d
      WHERE d.provider = of_provider AND d.provider_payment_id = payment_id AND d.state = 'DUE' AND d.amount_minor = amount
      ORDER BY d.number LIMIT 1);
    IF NOT FOUND THEN
      result := 'UNREQUESTED';
      INSERT INTO refunds (order_id, number, provider, provider_payment_id, amount_minor, reason, state, due_at, refund_id,
        refunded_at)
      SELECT p.order_id, 1 + count(*), of_provider, payment_id, amount, result, 'DONE', at, of_refund, at
      FROM refunds AS r WHERE r.order_id = p.order_id;
    END IF;
    PERFORM payment_settle(of_provider, payment_id);
    PERFORM refunds_end_note(of_provider, payment_id, at);
    UPDATE payments SET issue = 'CONTRADICTED'
    WHERE provider = of_provider AND provider_payment_id = payment_id AND result = 'UNREQUESTED';
  END IF;
  RETURN QUERY SELECT result, payment_json(q)
  FROM payments AS q WHERE q.provider = of_provider AND q.provider_payment_id = payment_id;
END $$;
