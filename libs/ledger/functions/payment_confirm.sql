-- Records a captured payment and what it does to its order.
--   id          the order
--   of_provider, payment_id   the payment: counts once
--   amount, in_currency       minor units
-- Returns one row: outcome, the payment's state and the order as it is now (a row of order_rows).
--   CONFIRMED   the payment is CAPTURED and the order CONFIRMED by it
--   REFUND_DUE  the payment goes back: the order ended, lapsed or is paid already, or it is not the order's amount.
--               Taking the units of an ended order anew for late money would come here.
--   KNOWN       this payment was recorded earlier; its state is as it is now
--   REUSED      this payment was recorded for another order
--   NOT_FOUND   there is no such order
CREATE OR REPLACE FUNCTION ledger.payment_confirm(
  id uuid, of_provider text, payment_id text, amount bigint, in_currency text
) RETURNS TABLE (outcome text, payment_state text, order_row json)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  paid orders%ROWTYPE;
  known payments%ROWTYPE;
  result text;
BEGIN
  SELECT * INTO paid FROM orders WHERE order_id = id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    -- While the lock was waited for, dead_letter_replay may have put another row in the place of this one.
    SELECT * INTO paid FROM orders WHERE order_id = id FOR NO KEY UPDATE;
  END IF;
  SELECT * INTO known FROM payments WHERE provider = of_provider AND provider_payment_id = payment_id;
  IF known.order_id IS NOT NULL THEN
    result := CASE WHEN known.order_id = id THEN 'KNOWN' ELSE 'REUSED' END;
  ELSIF paid.order_id IS NULL THEN
    result := 'NOT_FOUND';
  ELSE
    result := 'REFUND_DUE';
    IF paid.amount_minor = amount AND paid.currency = in_currency THEN
      SELECT CASE t.effect WHEN 'SELL' THEN 'CONFIRMED' ELSE 'REFUND_DUE' END
      INTO STRICT result FROM orders_transition('PAY', ARRAY[id], NULL) AS t;
    END IF;
    known.state := CASE result WHEN 'CONFIRMED' THEN 'CAPTURED' ELSE 'REFUND_DUE' END;
    INSERT INTO payments (provider, provider_payment_id, order_id, store_id, amount_minor, currency, state, at)
    VALUES (of_provider, payment_id, id, paid.store_id, amount, in_currency, known.state, clock()) ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
      RAISE serialization_failure USING MESSAGE = 'payment_confirm: the payment was recorded meanwhile';
    END IF;
    IF known.state = 'REFUND_DUE' THEN
      PERFORM refunds_add(ARRAY[of_provider], ARRAY[payment_id], NULL, 'ORDER_ENDED', clock());
    END IF;
  END IF;
  RETURN QUERY SELECT result, known.state, (
    SELECT row_to_json(o) FROM order_rows AS o WHERE o.order_id = id AND result <> 'REUSED');
END $$;
