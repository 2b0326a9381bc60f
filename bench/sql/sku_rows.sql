-- Where the units of a sku are, and the rows that its orders have left.
-- $1 text: the sku
SELECT s.capacity, s.free, s.held, s.sold,
  count(*) FILTER (WHERE o.state IN ('CONFIRMED', 'FULFILLED'))::int AS confirmed_rows,
  count(*) FILTER (WHERE o.state = 'REFUSED')::int AS refused_rows
FROM ledger.stock AS s
LEFT JOIN ledger.order_lines AS l USING (sku_id)
LEFT JOIN ledger.orders AS o USING (order_id)
WHERE s.sku_id = $1
GROUP BY s.sku_id
