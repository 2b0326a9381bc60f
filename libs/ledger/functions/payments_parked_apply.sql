-- Goes on with money whose order was not known: applies it when the order is born by now, and lets it go back when the order
-- was not born within 15 minutes.
--   batch_size  payments at most
-- Returns one row: how many pay their order now, how many go back, and whether there may be more to do now.
-- Safe from any number of callers at once: each locks the orders, then the skus, each by ascending id, then a payment.
CREATE OR REPLACE FUNCTION ledger.payments_parked_apply(batch_size int)
RETURNS TABLE (confirmed int, refunded int, has_more boolean)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  due_before CONSTANT timestamptz := clock() - interval '15 minutes';
  ids uuid[];
  p record;
  paid int := 0;
  back int := 0;
BEGIN
  ids := ARRAY(
    SELECT q.order_id FROM payments AS q
    WHERE q.issue = 'UNKNOWN_ORDER' AND q.state = 'CAPTURED'
      AND (q.at <= due_before OR EXISTS (SELECT FROM orders AS o WHERE o.order_id = q.order_id))
    ORDER BY q.order_id LIMIT batch_size);
  PERFORM FROM orders WHERE order_id = ANY (ids) ORDER BY order_id FOR NO KEY UPDATE;
  PERFORM FROM stock WHERE sku_id = ANY (ARRAY(SELECT l.sku_id FROM order_lines AS l WHERE l.order_id = ANY (ids)))
  ORDER BY sku_id FOR NO KEY UPDATE;
  FOR p IN
    SELECT q.provider, q.provider_payment_id, EXISTS (SELECT FROM orders AS o WHERE o.order_id = q.order_id) AS is_born
    FROM payments AS q WHERE q.order_id = ANY (ids) AND q.issue = 'UNKNOWN_ORDER' AND q.state = 'CAPTURED'
    ORDER BY q.order_id, q.at, q.provider, q.provider_payment_id FOR NO KEY UPDATE
  LOOP
    IF p.is_born AND payment_apply(p.provider, p.provider_payment_id, false) = 'CONFIRMED' THEN
      paid := paid + 1;
    ELSE
      IF NOT p.is_born THEN
        PERFORM refunds_add(ARRAY[p.provider], ARRAY[p.provider_payment_id], NULL, 'UNKNOWN_ORDER', clock());
      END IF;
      back := back + 1;
    END IF;
  END LOOP;
  RETURN QUERY SELECT paid, back, cardinality(ids) >= batch_size;
END $$;
