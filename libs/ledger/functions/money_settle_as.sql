-- Does to a payment what money_settle was told, and says whether it can be so; if not, what was done is to be undone.
--   p, verb, at  the payment, locked with its order; the verb; when
CREATE OR REPLACE FUNCTION ledger.money_settle_as(p ledger.payments, verb text, at timestamptz) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  is_of_order CONSTANT boolean := p.state = 'CAPTURED' AND p.issue IS DISTINCT FROM 'UNKNOWN_ORDER';
  went_back CONSTANT boolean := EXISTS (
    SELECT FROM refunds AS r
    WHERE r.provider = p.provider AND r.provider_payment_id = p.provider_payment_id AND r.state = 'DONE');
BEGIN
  IF p.state = 'FAILED' OR verb = 'REFUND' AND (is_of_order OR p.state = 'REFUNDED') THEN
    RETURN false;
  ELSIF verb = 'REFUND' THEN
    UPDATE payments SET retained_minor = 0 WHERE provider = p.provider AND provider_payment_id = p.provider_payment_id;
    PERFORM refunds_add(ARRAY[p.provider], ARRAY[p.provider_payment_id], NULL, 'SETTLED', at);
    RETURN true;
  ELSIF verb = 'WRITE_OFF' AND (is_of_order OR p.state = 'REFUNDED') THEN
    RETURN true;
  ELSIF verb = 'KEEP' AND (is_of_order OR went_back OR NOT EXISTS (SELECT FROM orders WHERE order_id = p.order_id)) THEN
    RETURN false;
  END IF;

  UPDATE refunds SET state = 'WITHDRAWN'
  WHERE provider = p.provider AND provider_payment_id = p.provider_payment_id AND state = 'DUE';
  UPDATE payments SET retained_minor = 0, state = CASE WHEN verb = 'KEEP' THEN 'CAPTURED' WHEN went_back THEN 'REFUNDED'
    ELSE 'RETAINED' END
  WHERE provider = p.provider AND provider_payment_id = p.provider_payment_id;
  RETURN verb = 'WRITE_OFF' OR payment_apply(p.provider, p.provider_payment_id, true) = 'CONFIRMED';
END $$;
REVOKE EXECUTE ON FUNCTION ledger.money_settle_as FROM holdfast_runtime;
