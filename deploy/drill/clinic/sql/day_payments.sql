-- Every captured payment of a store, beside its order and the money that goes back of it.
--   $1  the store
-- One row a payment. refunds, refundMinor: requests that stand, and their sum.
SELECT p.provider_payment_id AS "paymentId", p.order_id AS "orderId", p.state, p.issue,
  p.amount_minor::int AS "amountMinor", p.currency, p.retained_minor::int AS "retainedMinor",
  o.state AS "orderState", o.amount_minor::int AS "orderMinor",
  count(r.number)::int AS refunds, coalesce(sum(r.amount_minor), 0)::int AS "refundMinor"
FROM ledger.payments AS p
LEFT JOIN ledger.orders AS o ON o.order_id = p.order_id
LEFT JOIN ledger.refunds AS r
  ON r.provider = p.provider AND r.provider_payment_id = p.provider_payment_id AND r.state <> 'WITHDRAWN'
WHERE p.state <> 'FAILED' AND (p.store_id = $1 OR o.order_id IS NULL)
GROUP BY p.provider, p.provider_payment_id, o.order_id;
