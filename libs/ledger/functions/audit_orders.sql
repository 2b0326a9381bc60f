-- Looks at some orders with their lines, events and payments, from one snapshot, and lists what does not hold.
--   order_ids  the orders; unknown ones are passed over
-- Returns one row a violation: what, the order's first sku, the order, and the figures. What:
--   AMOUNT_NOT_OF_LINES   an order's amount is not the sum of its lines
--   EVENT_MISSING         an order's last change is not in the outbox
--   PAYMENT_NOT_SETTLED   captured money that pays for no order, or for one that is paid twice
--   PAYMENT_MISSING       an order that was confirmed by a payment has none
--   REFUND_MISSING        a payment that goes back, and nobody was asked to give it back
--   REFUND_TOO_MUCH       more goes back than was captured
--   REQUEST_ID_TWICE      two orders of one request; the first is named
CREATE OR REPLACE FUNCTION ledger.audit_orders(order_ids uuid[])
RETURNS TABLE (violation text, sku_id text, order_id uuid, detail jsonb)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH found AS MATERIALIZED (
    SELECT o.order_id, o.store_id, o.user_id, o.request_id, o.state, o.version, o.amount_minor, l.sku_id, l.amount,
      p.captured, p.contradicted, (
        -- With EXISTS the planner may put all of the outbox into a table of hashes.
        SELECT x.order_id FROM outbox AS x WHERE x.order_id = o.order_id AND x.kind = 'ORDER'
          AND x.order_version = o.version AND x.state = o.state LIMIT 1
      ) IS NOT NULL AS is_told
    FROM orders AS o
    CROSS JOIN LATERAL (
      SELECT min(l.sku_id) AS sku_id, coalesce(sum(l.quantity * l.unit_price_minor), 0) AS amount
      FROM order_lines AS l WHERE l.order_id = o.order_id
    ) AS l
    CROSS JOIN LATERAL (
      -- Parked money is applied within a second; money that its provider took back by itself is for a person to see.
      SELECT count(*) FILTER (WHERE p.state = 'CAPTURED' AND p.issue IS DISTINCT FROM 'UNKNOWN_ORDER') AS captured,
        count(*) FILTER (WHERE p.issue = 'CONTRADICTED') AS contradicted
      FROM payments AS p WHERE p.order_id = o.order_id
    ) AS p
    WHERE o.order_id = ANY (order_ids)
  )
  SELECT 'AMOUNT_NOT_OF_LINES', o.sku_id, o.order_id,
    jsonb_build_object('amount_minor', o.amount_minor, 'of_lines', o.amount)
  FROM found AS o WHERE o.state <> 'REFUSED' AND o.amount_minor <> o.amount
  UNION ALL
  SELECT 'EVENT_MISSING', o.sku_id, o.order_id, jsonb_build_object('state', o.state, 'version', o.version)
  FROM found AS o WHERE o.state <> 'REFUSED' AND NOT o.is_told
  UNION ALL
  SELECT 'PAYMENT_NOT_SETTLED', o.sku_id, o.order_id, jsonb_build_object('state', o.state, 'payments', (
    SELECT jsonb_agg(jsonb_build_object('provider', p.provider, 'provider_payment_id', p.provider_payment_id,
      'amount_minor', p.amount_minor, 'currency', p.currency) ORDER BY p.provider, p.provider_payment_id)
    FROM payments AS p WHERE p.order_id = o.order_id AND p.state = 'CAPTURED'))
  FROM found AS o WHERE o.captured > CASE WHEN o.state IN ('CONFIRMED', 'FULFILLED') THEN 1 ELSE 0 END
  UNION ALL
  SELECT 'PAYMENT_MISSING', o.sku_id, o.order_id,
    jsonb_build_object('state', o.state, 'version', o.version, 'amount_minor', o.amount_minor)
  FROM found AS o
  WHERE o.captured + o.contradicted = 0 AND o.state IN ('CONFIRMED', 'FULFILLED') AND EXISTS (
    SELECT FROM movements AS m WHERE m.order_id = o.order_id AND m.reason IN ('PAY', 'PAY_IN_TIME', 'RETAKE'))
  UNION ALL
  SELECT 'REFUND_MISSING', o.sku_id, o.order_id, jsonb_build_object('state', o.state, 'provider', p.provider,
    'provider_payment_id', p.provider_payment_id, 'amount_minor', p.amount_minor, 'currency', p.currency)
  FROM found AS o JOIN payments AS p ON p.order_id = o.order_id AND p.state = 'REFUND_DUE'
  WHERE NOT EXISTS (
    SELECT FROM refunds AS r
    JOIN outbox AS x ON x.order_id = r.order_id AND x.kind = 'REFUND' AND x.order_version = r.number
    WHERE r.provider = p.provider AND r.provider_payment_id = p.provider_payment_id AND r.state = 'DUE')
  UNION ALL
  SELECT 'REFUND_TOO_MUCH', o.sku_id, o.order_id, jsonb_build_object('provider', p.provider,
    'provider_payment_id', p.provider_payment_id, 'amount_minor', p.amount_minor, 'refunds', r.amount)
  FROM found AS o
  JOIN payments AS p ON p.order_id = o.order_id AND p.issue IS DISTINCT FROM 'CONTRADICTED'
  CROSS JOIN LATERAL (
    SELECT sum(r.amount_minor) AS amount FROM refunds AS r
    WHERE r.provider = p.provider AND r.provider_payment_id = p.provider_payment_id AND r.state <> 'WITHDRAWN'
  ) AS r
  WHERE r.amount > p.amount_minor
  UNION ALL
  SELECT 'REQUEST_ID_TWICE', NULL, min(o.order_id::text)::uuid,
    jsonb_build_object('user_id', o.user_id, 'request_id', o.request_id, 'orders', count(*))
  FROM (SELECT DISTINCT f.user_id FROM found AS f) AS f JOIN orders AS o ON o.user_id = f.user_id
  GROUP BY o.store_id, o.user_id, o.request_id HAVING count(*) > 1;
END $$;
