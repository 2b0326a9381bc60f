-- Why the units of an ended order cannot be taken anew for late money. The caller holds the locks of the order and its skus.
--   id  the order    at  the instant
-- Returns the first sku that stands in the way: it gives late money back, is not on sale, has too few free, or an attendee
-- has as many as allowed, also beyond the sku. Null: none does.
CREATE OR REPLACE FUNCTION ledger.retake_bar(id uuid, at timestamptz) RETURNS text
LANGUAGE plpgsql
AS $$
DECLARE
  bar text;
  figures jsonb;
BEGIN
  SELECT l.sku_id INTO bar
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
  ORDER BY l.sku_id LIMIT 1;
  IF bar IS NULL THEN
    SELECT ledger.limits_open(array_agg(l.sku_id), array_agg(l.place), array_agg(l.attendee_id),
      ARRAY[min(o.store_id)], ARRAY[min(o.user_id)]) INTO figures
    FROM ledger.orders AS o JOIN (
      SELECT l.*, row_number() OVER (ORDER BY l.sku_id, l.attendee_id)::int AS place FROM ledger.order_lines AS l
      WHERE l.order_id = id
    ) AS l ON l.order_id = o.order_id
    WHERE o.order_id = id;
    IF figures IS NOT NULL THEN
      SELECT ledger.limits_spend(figures, min(o.store_id), min(o.user_id), id, false, array_agg(l.sku_id),
        array_agg(l.attendee_id), array_agg(l.quantity)) ->> 'sku_id' INTO bar
      FROM ledger.orders AS o JOIN ledger.order_lines AS l ON l.order_id = o.order_id WHERE o.order_id = id
      HAVING ledger.limits_spend(figures, min(o.store_id), min(o.user_id), id, false, array_agg(l.sku_id),
        array_agg(l.attendee_id), array_agg(l.quantity)) ? 'reason';
    END IF;
  END IF;
  RETURN bar;
END $$;
