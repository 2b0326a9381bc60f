-- Records a captured payment and what it does to its order: one transaction.
--   id                        the order
--   of_provider, payment_id   the payment: counts once
--   amount, in_currency       minor units
--   of_attempt                the attempt that it came by; null: not known
--   captured                  when, by the provider's clock; null: not known
-- Returns one row: outcome, the payment as it is now (payment_json), and the order (a row of order_rows).
--   CONFIRMED   the payment is CAPTURED and the order CONFIRMED by it
--   REFUND_DUE  the payment goes back: its issue says why
--   PARKED      there is no such order yet: payments_parked_apply goes on
--   KNOWN       this payment was recorded earlier; it is as it is now
--   REUSED      this payment was recorded for another order
-- That a payment failed is no word against money that came: a FAILED one is taken as captured.
CREATE OR REPLACE FUNCTION ledger.payment_confirm(
  id uuid, of_provider text, payment_id text, amount bigint, in_currency text, of_attempt int, captured timestamptz
) RETURNS TABLE (outcome text, payment_row json, order_row json)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  paid orders%ROWTYPE;
  known payments%ROWTYPE;
  at timestamptz;
  result text;
BEGIN
  SELECT * INTO paid FROM orders WHERE order_id = id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    -- While the lock was waited for, dead_letter_replay may have put another row in the place of this one.
    SELECT * INTO paid FROM orders WHERE order_id = id FOR NO KEY UPDATE;
  END IF;
  at := clock();
  SELECT * INTO known FROM payments WHERE provider = of_provider AND provider_payment_id = payment_id FOR NO KEY UPDATE;
  IF known.order_id <> id THEN
    result := 'REUSED';
  ELSIF known.state <> 'FAILED' THEN
    result := 'KNOWN';
  ELSE
    INSERT INTO payments AS p (provider, provider_payment_id, order_id, store_id, number, amount_minor, currency, state,
      issue, attempt, captured_at, at)
    VALUES (of_provider, payment_id, id, coalesce(paid.store_id, ''), 1 + (
        SELECT count(*) FROM payments AS q WHERE q.order_id = id
      ), amount, in_currency, 'CAPTURED', CASE WHEN paid.order_id IS NULL THEN 'UNKNOWN_ORDER' END, of_attempt,
      CASE WHEN captured IS NOT NULL THEN least(captured, at) END, at)
    ON CONFLICT (provider, provider_payment_id) DO UPDATE SET state = excluded.state, amount_minor = excluded.amount_minor,
      currency = excluded.currency, issue = excluded.issue, attempt = coalesce(excluded.attempt, p.attempt),
      captured_at = excluded.captured_at, at = excluded.at
    WHERE p.state = 'FAILED' AND p.order_id = excluded.order_id;
    IF NOT FOUND THEN
      RAISE serialization_failure USING MESSAGE = 'payment_confirm: the payment was recorded meanwhile';
    END IF;
    result := CASE WHEN paid.order_id IS NULL THEN 'PARKED' ELSE payment_apply(of_provider, payment_id, false) END;
  END IF;
  RETURN QUERY SELECT result, (
      SELECT payment_json(p) FROM payments AS p WHERE p.provider = of_provider AND p.provider_payment_id = payment_id
    ), (SELECT row_to_json(o) FROM order_rows AS o WHERE o.order_id = id AND result <> 'REUSED');
END $$;
