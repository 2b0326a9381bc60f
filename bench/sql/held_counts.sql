-- Everything the ledger wrote for the orders of some skus, each order one unit of one sku.
-- $1 text[]: the skus
WITH lines AS (
  SELECT order_id, quantity FROM ledger.order_lines WHERE sku_id = ANY($1)
)
SELECT
  (SELECT sum(quantity) FROM lines)::int AS lines,
  (SELECT count(*) FROM ledger.orders JOIN lines USING (order_id) WHERE state = 'HELD')::int AS orders,
  (SELECT count(*) FROM ledger.outbox JOIN lines USING (order_id))::int AS events,
  (SELECT count(*) FROM ledger.movements WHERE sku_id = ANY($1))::int AS movements,
  (SELECT sum(units) FROM ledger.attendee_units WHERE sku_id = ANY($1))::int AS attendee_units,
  (SELECT sum(held) FROM ledger.stock WHERE sku_id = ANY($1))::int AS stock_held
