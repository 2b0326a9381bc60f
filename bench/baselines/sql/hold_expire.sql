-- Ends a hold of one line that is past its expiry, and gives its units back. No row comes back when somebody else has.
-- $1 uuid order
WITH ended AS (
  UPDATE ledger.orders SET state = 'EXPIRED', version = version + 1, expires_at = NULL, updated_at = now()
  WHERE order_id = $1 AND state = 'HELD' AND expires_at <= now()
  RETURNING order_id, version
), line AS (
  UPDATE ledger.order_lines AS l SET held_until = NULL FROM ended AS e WHERE l.order_id = e.order_id
  RETURNING l.order_id, e.version, l.sku_id, l.attendee_id, l.quantity
), moved AS (
  INSERT INTO ledger.movements (order_id, sku_id, order_version, delta_free, delta_reserved, delta_held, delta_sold,
    reason, at)
  SELECT order_id, sku_id, version, quantity, 0, -quantity, 0, 'EXPIRE', now() FROM line
), given_back AS (
  UPDATE ledger.attendee_units AS a SET units = a.units - l.quantity FROM line AS l
  WHERE a.sku_id = l.sku_id AND a.attendee_id = l.attendee_id
), told AS (
  INSERT INTO ledger.outbox (order_id, order_version, state, at) SELECT order_id, version, 'EXPIRED', now() FROM ended
)
UPDATE ledger.stock AS s SET free = s.free + l.quantity, held = s.held - l.quantity, version = s.version + 1
FROM line AS l WHERE s.sku_id = l.sku_id
RETURNING s.sku_id
