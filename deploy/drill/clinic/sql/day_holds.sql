-- Every hold of a store, and how it ended.
--   $1  the store
-- One row an order. vainUnitMs: for each unit that was given back unpaid, how long it had been held.
SELECT o.order_id AS "orderId", o.entry_id IS NOT NULL AS "isOffer",
  bool_or(m.delta_held < 0 AND m.delta_sold > 0) AS paid,
  bool_or(m.reason = 'EXPIRE') AS expired,
  coalesce(sum(-m.delta_held * extract(epoch FROM m.at - o.created_at) * 1000)
    FILTER (WHERE m.delta_held < 0 AND m.delta_sold = 0 AND m.reason <> 'MOVE'), 0)::float8 AS "vainUnitMs"
FROM ledger.orders AS o JOIN ledger.movements AS m ON m.order_id = o.order_id
WHERE o.store_id = $1
GROUP BY o.order_id;
