-- When the units of an order moved last, in Unix milliseconds.
-- $1 uuid: the order
SELECT (extract(epoch FROM max(at)) * 1000)::float8 AS at_ms FROM ledger.movements WHERE order_id = $1
