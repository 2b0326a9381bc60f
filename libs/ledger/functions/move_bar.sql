-- Why the units that an order has of one sku cannot be had of another one instead. The caller holds the locks of the order
-- and of both skus.
--   o             the order's row
--   source, target   the skus, of one store
--   at            the instant
-- Returns the refusal as claims_admit would, or PRICE_DIFFERS; null: they can. A waiter for the target comes first by what
-- is free: nothing is while one waits.
CREATE OR REPLACE FUNCTION ledger.move_bar(o ledger.orders, source text, target text, at timestamptz) RETURNS jsonb
LANGUAGE sql STABLE
AS $$
  SELECT CASE
    WHEN ledger.sale_bar(sku, at) IS NOT NULL THEN ledger.sale_bar(sku, at)
    WHEN l.there + l.wanted > sku.max_per_order THEN
      jsonb_build_object('reason', 'MAX_PER_ORDER', 'sku_id', target, 'limit', sku.max_per_order)
    WHEN l.attendee_full IS NOT NULL THEN
      ledger.limit_refusal(target, coalesce((
        SELECT a.units FROM ledger.attendee_units AS a WHERE a.sku_id = target AND a.attendee_id = l.attendee_full
      ), 0), sku.per_user_limit, o.user_id, l.attendee_full)
    WHEN sku.currency <> o.currency OR sku.price_minor <> ANY (l.prices) THEN
      jsonb_build_object('reason', 'PRICE_DIFFERS', 'sku_id', target)
    WHEN s.free >= l.wanted THEN NULL
    WHEN s.free > 0 THEN jsonb_build_object('reason', 'NOT_ENOUGH', 'sku_id', target, 'free', s.free)
    ELSE ledger.shortage(target, s.held + s.reserved > s.overbooked, NULL) END
  FROM ledger.skus AS sku
  JOIN ledger.stock AS s ON s.sku_id = sku.sku_id
  CROSS JOIN LATERAL (
    SELECT sum(m.quantity) FILTER (WHERE m.sku_id = source) AS wanted,
      coalesce(sum(m.quantity) FILTER (WHERE m.sku_id = target), 0) AS there, array_agg(m.unit_price_minor) AS prices,
      min(m.attendee_id) FILTER (WHERE m.sku_id = source AND m.quantity + coalesce((
        SELECT a.units FROM ledger.attendee_units AS a WHERE a.sku_id = target AND a.attendee_id = m.attendee_id
      ), 0) > sku.per_user_limit) AS attendee_full
    FROM ledger.order_lines AS m WHERE m.order_id = o.order_id AND m.sku_id IN (source, target)
  ) AS l
  WHERE sku.sku_id = target
$$;
REVOKE EXECUTE ON FUNCTION ledger.move_bar FROM holdfast_runtime;
