-- Sets a payment's state to what its refunds say: REFUNDED when all of it went back, or all that was to go back. What was
-- asked for beyond it is withdrawn. The caller has locked the payment.
CREATE OR REPLACE FUNCTION ledger.payment_settle(of_provider text, payment_id text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  done bigint;
BEGIN
  SELECT coalesce(sum(r.amount_minor), 0) INTO done FROM refunds AS r
  WHERE r.provider = of_provider AND r.provider_payment_id = payment_id AND r.state = 'DONE';
  UPDATE refunds AS r SET state = 'WITHDRAWN'
  FROM payments AS p
  WHERE p.provider = of_provider AND p.provider_payment_id = payment_id AND done >= p.amount_minor
    AND r.provider = of_provider AND r.provider_payment_id = payment_id AND r.state = 'DUE';
  UPDATE payments AS p SET state = 'REFUNDED'
  WHERE p.provider = of_provider AND p.provider_payment_id = payment_id AND (done >= p.amount_minor
    OR p.state = 'REFUND_DUE' AND NOT EXISTS (
      SELECT FROM refunds AS r WHERE r.provider = of_provider AND r.provider_payment_id = payment_id AND r.state = 'DUE'));
END $$;
REVOKE EXECUTE ON FUNCTION ledger.payment_settle FROM holdfast_runtime;
