-- Units that live orders keep for each attendee, summed over order lines.
--   $1  sku ids
SELECT sku_id AS "skuId", attendee_id AS "attendeeId", sum(quantity)::int AS units
FROM ledger.order_lines JOIN ledger.orders USING (order_id)
WHERE sku_id = ANY ($1) AND state IN ('HELD', 'CONFIRMED', 'FULFILLED')
GROUP BY sku_id, attendee_id;
