-- Why the units of an ended order cannot be taken anew for late money. The caller holds the locks of the order and its skus.
--   id  the order    at  the instant
-- Returns the first sku that stands in the way: it gives late money back, is not on sale, has too few free, or an attendee
-- has as many as allowed. Null: none does.
CREATE OR REPLACE FUNCTION ledger.retake_bar(id uuid, at timestamptz) RETURNS text
LANGUAGE sql STABLE
AS $$
  SELECT l.sku_id
  FROM (
    SELECT l.sku_id, l.attendee_id, l.quantity, sum(l.quantity) OVER (PARTITION BY l.sku_id) AS wanted
    FROM ledger.order_lines AS l WHERE l.order_id = id
  ) AS l
  JOIN ledger.skus AS sku ON sku.sku_id = l.sku_id
  JOIN ledger.stock AS s ON s.sku_id = l.sku_id
  WHERE sku.late_payment <> 'RETAKE_IF_FREE' OR ledger.sale_bar(sku, at) IS NOT NULL OR l.wanted > s.free
    OR l.quantity + coalesce((
      SELECT a.units FROM ledger.attendee_units AS a WHERE a.sku_id = l.sku_id AND a.attendee_id = l.attendee_id
    ), 0) > sku.per_user_limit
  ORDER BY l.sku_id LIMIT 1
$$;
