-- Everything the ledger wrote for those who wait for a sku, one unit each, whom nobody has left.
-- $1 text: the sku
WITH entries AS (
  SELECT entry_id, place FROM ledger.waitlist_entries WHERE sku_id = $1 AND state = 'WAITING' AND version = 1
)
SELECT
  (SELECT count(*) FROM entries)::int AS entries,
  (SELECT max(place) FROM entries)::int AS last_place,
  (SELECT count(*) FROM ledger.outbox AS e JOIN entries ON e.order_id = entry_id WHERE e.kind = 'WAITLIST')::int AS events,
  (SELECT sum(waiting) FROM ledger.waitlist_counts WHERE sku_id = $1 AND level = 1)::int AS counted,
  (SELECT waiting FROM ledger.stock WHERE sku_id = $1) AS stock_waiting
