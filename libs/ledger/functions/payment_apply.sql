-- Does with a captured payment what its order allows: pays it, takes its units anew, or lets the money go back.
--   of_provider, payment_id  a payment that is CAPTURED; the caller has locked its order
--   forgiven                 also when amount or currency are not the order's: an operator says so
-- Money that was captured before the hold lapsed counts as in time while nobody has swept the hold. A lapsed hold ends first,
-- so that its units go where they go, and only what is free then is taken anew.
-- Returns CONFIRMED, or REFUND_DUE with the issue of the payment set. The attempt that the money came by is CAPTURED in
-- either case; when the order is paid, others end.
CREATE OR REPLACE FUNCTION ledger.payment_apply(of_provider text, payment_id text, forgiven boolean) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  p payments%ROWTYPE;
  o orders%ROWTYPE;
  found_effect text;
  found_issue text;
BEGIN
  SELECT * INTO STRICT p FROM payments WHERE provider = of_provider AND provider_payment_id = payment_id;
  SELECT * INTO STRICT o FROM orders WHERE order_id = p.order_id;
  found_issue := CASE WHEN forgiven THEN NULL WHEN p.currency <> o.currency THEN 'WRONG_CURRENCY'
    WHEN p.amount_minor <> o.amount_minor THEN 'WRONG_AMOUNT' END;
  IF found_issue IS NULL THEN
    SELECT t.effect INTO STRICT found_effect
    FROM orders_transition(CASE WHEN p.captured_at < o.expires_at THEN 'PAY_IN_TIME' ELSE 'PAY' END,
      ARRAY[o.order_id], NULL) AS t;
    IF found_effect = 'REFUND' AND o.state = 'HELD' THEN
      PERFORM orders_transition('EXPIRE', ARRAY[o.order_id], NULL);
      o.state := 'EXPIRED';
    END IF;
    -- What somebody else than its user ended, staff or an operator, stays ended.
    IF found_effect = 'REFUND' AND o.state IN ('EXPIRED', 'CANCELLED') AND NOT EXISTS (
      SELECT FROM order_changes AS c WHERE c.order_id = o.order_id AND c.order_version = o.version
        AND c.verb IN ('CANCEL', 'CANCEL_PART') AND c.changed_by <> o.user_id
    ) THEN
      PERFORM FROM stock WHERE sku_id = ANY (ARRAY(
          SELECT l.sku_id FROM order_lines AS l WHERE l.order_id = o.order_id))
      ORDER BY sku_id FOR NO KEY UPDATE;
      IF retake_bar(o.order_id, clock()) IS NULL THEN
        SELECT t.effect INTO STRICT found_effect FROM orders_transition('RETAKE', ARRAY[o.order_id], NULL) AS t;
      END IF;
    END IF;
    IF found_effect NOT IN ('SELL', 'RETAKE') THEN
      found_issue := CASE WHEN o.state = 'EXPIRED' THEN 'LATE' WHEN o.state IN ('CONFIRMED', 'FULFILLED')
        THEN 'ALREADY_PAID' ELSE 'ORDER_ENDED' END;
    END IF;
  END IF;

  UPDATE payment_attempts SET state = CASE WHEN attempt = p.attempt THEN 'CAPTURED' ELSE 'ENDED' END
  WHERE order_id = o.order_id AND (attempt = p.attempt OR state = 'OPEN' AND found_issue IS NULL);
  UPDATE payments SET issue = found_issue, store_id = o.store_id
  WHERE provider = of_provider AND provider_payment_id = payment_id;
  IF found_issue IS NULL THEN
    RETURN 'CONFIRMED';
  END IF;
  PERFORM refunds_add(ARRAY[of_provider], ARRAY[payment_id], NULL, found_issue, clock());
  RETURN 'REFUND_DUE';
END $$;
REVOKE EXECUTE ON FUNCTION ledger.payment_apply FROM holdfast_runtime;
