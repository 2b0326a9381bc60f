-- Everything the ledger wrote when holds ended, each of one unit.
-- $1 text: begins the id of each sku
WITH lines AS (
  SELECT order_id, sku_id, attendee_id, held_until FROM ledger.order_lines WHERE starts_with(sku_id, $1)
)
SELECT
  (SELECT count(*) FROM ledger.orders JOIN lines USING (order_id) WHERE state = 'EXPIRED' AND version = 2)::int
    AS orders,
  (SELECT count(*) FROM lines WHERE held_until IS NULL)::int AS lines,
  (SELECT count(*) FROM ledger.outbox JOIN lines USING (order_id) WHERE outbox.state = 'EXPIRED')::int AS events,
  (SELECT count(*) FROM ledger.movements WHERE starts_with(sku_id, $1) AND reason = 'EXPIRE')::int AS movements,
  (SELECT count(*) FROM ledger.attendee_units WHERE starts_with(sku_id, $1) AND units = 0)::int AS attendee_units,
  (SELECT sum(free) FROM ledger.stock WHERE starts_with(sku_id, $1) AND held = 0)::int AS stock_free
