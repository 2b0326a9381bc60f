-- Writes down, for each endpoint that wants it, what was told and is due: in the transaction in which it is due no more, so
-- once.
--   at_most  rows of the outbox, the lowest
-- What finds 10,000 events waiting for an endpoint is FAILED at once, so that a replay can still send it.
-- Returns how many rows it took; at_most: there may be more. 0 also while another writes.
CREATE OR REPLACE FUNCTION ledger.webhook_deliveries_add(at_most int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  most CONSTANT int := 10000;
  written CONSTANT timestamptz := clock();
  news outbox[];
BEGIN
  -- One at a time: so the sequence rises with the versions of an order.
  IF NOT pg_try_advisory_xact_lock(hashtextextended('webhook deliveries', 0)) THEN
    RETURN 0;
  END IF;
  WITH taken AS (
    UPDATE outbox AS x SET webhooks_due = false
    WHERE x.webhooks_due AND x.id IN (SELECT d.id FROM outbox AS d WHERE d.webhooks_due ORDER BY d.id LIMIT at_most)
    RETURNING x AS whole
  )
  SELECT coalesce(array_agg(t.whole), '{}') INTO news FROM taken AS t;

  WITH told AS (
    SELECT x.id, x.at, coalesce(o.store_id, e.store_id, p.store_id) AS store_id, CASE x.kind WHEN 'REFUND' THEN 'refund.due'
        WHEN 'REFUND_END' THEN 'refund.' || lower(x.state) ELSE lower(x.kind) || '.' || lower(x.state) END AS type,
      CASE WHEN r.order_id IS NOT NULL THEN jsonb_build_object('order_id', x.order_id, 'store_id', p.store_id,
        'number', r.number, 'state', CASE x.kind WHEN 'REFUND' THEN 'DUE' ELSE x.state END, 'provider', r.provider,
        'provider_payment_id', r.provider_payment_id, 'refund_id', CASE x.kind WHEN 'REFUND_END' THEN r.refund_id END,
        'amount_minor', r.amount_minor::text, 'currency', p.currency, 'reason', r.reason)
      WHEN x.kind = 'ORDER' THEN jsonb_build_object('order_id', x.order_id, 'store_id', o.store_id,
        'user_id', o.user_id, 'version', x.order_version, 'state', x.state, 'lines', o.lines::jsonb,
        'amount_minor', o.amount_minor::text, 'currency', o.currency)
      ELSE jsonb_build_object('entry_id', x.order_id, 'store_id', e.store_id, 'user_id', e.user_id,
        'version', x.order_version, 'state', x.state, 'sku_id', e.sku_id, 'quantity', e.quantity,
        'order_id', CASE WHEN x.state IN ('OFFERED', 'PROMOTED', 'EXPIRED', 'DECLINED') THEN e.order_id END,
        'offer_expires_at', CASE WHEN x.state = 'OFFERED' THEN webhook_time(e.expires_at) END) END AS data
    FROM unnest(news) AS x
    LEFT JOIN order_rows AS o ON x.kind = 'ORDER' AND o.order_id = x.order_id
    LEFT JOIN waitlist_rows AS e ON x.kind = 'WAITLIST' AND e.entry_id = x.order_id
    LEFT JOIN refunds AS r ON x.kind IN ('REFUND', 'REFUND_END') AND r.order_id = x.order_id AND r.number = x.order_version
    LEFT JOIN payments AS p ON p.provider = r.provider AND p.provider_payment_id = r.provider_payment_id
  ), endpoints AS MATERIALIZED (
    -- Locked, and left out when it is removed meanwhile: a delivery cannot be without its endpoint.
    SELECT w.* FROM webhook_endpoints AS w WHERE w.store_id IN (SELECT t.store_id FROM told AS t) FOR KEY SHARE
  ), wanted AS MATERIALIZED (
    SELECT w.endpoint_id, t.*, row_number() OVER (PARTITION BY w.endpoint_id ORDER BY t.id) AS place
    FROM told AS t
    JOIN endpoints AS w ON w.store_id = t.store_id
    WHERE w.event_types = '{}' OR t.type = ANY (w.event_types) OR split_part(t.type, '.', 1) || '.*' = ANY (w.event_types)
  ), rooms AS MATERIALIZED (
    -- Once for each endpoint: of one that is behind this looks at thousands of rows.
    SELECT w.endpoint_id, (
      SELECT count(*) FROM (SELECT FROM webhook_deliveries AS d
        WHERE d.endpoint_id = w.endpoint_id AND d.state = 'DUE' LIMIT most) AS due) AS waiting
    FROM (SELECT DISTINCT endpoint_id FROM wanted) AS w
  )
  INSERT INTO webhook_deliveries (endpoint_id, event_id, event_type, payload, state, created_at, next_attempt_at, last_error)
  SELECT n.endpoint_id, n.id::text, n.type,
    jsonb_build_object('type', n.type, 'timestamp', webhook_time(n.at), 'data', jsonb_strip_nulls(n.data))::text,
    CASE WHEN r.waiting + n.place <= most THEN 'DUE' ELSE 'FAILED' END, written,
    CASE WHEN r.waiting + n.place <= most THEN written END,
    CASE WHEN r.waiting + n.place <= most THEN '' ELSE 'too many events wait for this endpoint' END
  FROM wanted AS n JOIN rooms AS r ON r.endpoint_id = n.endpoint_id ORDER BY n.id
  ON CONFLICT (endpoint_id, event_id) DO NOTHING;
  RETURN cardinality(news);
END $$;
