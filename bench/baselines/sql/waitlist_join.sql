-- Puts a user at the end of the line for a sku that is sold out. No row comes back when a unit is free or the line is
-- full. The stock's row keeps the next one waiting until the commit, so that nobody else gets the place.
-- $1 uuid entry, $2 text store, $3 text sku, $4 text user, $5 text request, $6 bytea hash of the lines,
-- $7 text attendee, $8 int quantity
WITH place AS (
  UPDATE ledger.stock AS s SET waiting = s.waiting + 1, waitlist_tail = s.waitlist_tail + 1 FROM ledger.skus AS sku
  WHERE s.sku_id = $3 AND sku.sku_id = s.sku_id AND s.free = 0 AND s.waiting < sku.waitlist_max
  RETURNING s.waitlist_tail AS place, s.waiting - 1 AS people_ahead
), entry AS (
  INSERT INTO ledger.waitlist_entries (entry_id, store_id, sku_id, user_id, request_id, lines_hash, lines, quantity,
    place, joined_behind, state, version, joined_at, updated_at)
  SELECT $1, $2, $3, $4, $5, $6, jsonb_build_array(jsonb_build_object('attendee_id', $7::text, 'quantity', $8::int)), $8,
    place, people_ahead, 'WAITING', 1, now(), now()
  FROM place
  RETURNING entry_id, place, joined_behind
), counted AS (
  INSERT INTO ledger.waitlist_counts AS c (sku_id, level, block, waiting)
  SELECT $3, b.level, e.place / b.size, 1
  FROM entry AS e CROSS JOIN (VALUES (1, 100::bigint), (2, 10000), (3, 1000000), (4, 100000000)) AS b (level, size)
  ON CONFLICT (sku_id, level, block) DO UPDATE SET waiting = c.waiting + 1
), told AS (
  INSERT INTO ledger.outbox (kind, order_id, order_version, state, at)
  SELECT 'WAITLIST', entry_id, 1, 'WAITING', now() FROM entry
)
SELECT joined_behind FROM entry
