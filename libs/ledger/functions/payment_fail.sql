-- Records that a provider took no money. The hold stays: the user may try again. Money that came, by this attempt or another,
-- is not touched, whichever notice comes first.
--   id                        the order
--   of_provider, payment_id   the payment that failed; its id null: it had none yet
--   of_session, of_attempt    which attempt it was; null: not known
--   why                       in the provider's words
-- Returns one row: outcome and the order (a row of order_rows).
--   FAILED     an attempt is FAILED by this call
--   UNCHANGED  it had ended, or no attempt is meant
--   NOT_FOUND  there is no such order
CREATE OR REPLACE FUNCTION ledger.payment_fail(
  id uuid, of_provider text, payment_id text, of_session text, of_attempt int, why text
) RETURNS TABLE (outcome text, order_row json)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  o orders%ROWTYPE;
  result text := 'NOT_FOUND';
BEGIN
  SELECT * INTO o FROM orders WHERE order_id = id FOR NO KEY UPDATE;
  IF FOUND THEN
    IF payment_id IS NOT NULL THEN
      INSERT INTO payments (provider, provider_payment_id, order_id, store_id, number, amount_minor, currency, state,
        attempt, at)
      VALUES (of_provider, payment_id, id, o.store_id, 1 + (SELECT count(*) FROM payments AS q WHERE q.order_id = id),
        0, o.currency, 'FAILED', of_attempt, clock())
      ON CONFLICT DO NOTHING;
    END IF;
    UPDATE payment_attempts SET state = 'FAILED', failure = why
    WHERE order_id = id AND state = 'OPEN' AND provider = of_provider
      AND (attempt = of_attempt OR of_attempt IS NULL AND session_id = of_session);
    result := CASE WHEN FOUND THEN 'FAILED' ELSE 'UNCHANGED' END;
  END IF;
  RETURN QUERY SELECT result, (SELECT row_to_json(r) FROM order_rows AS r WHERE r.order_id = id);
END $$;
