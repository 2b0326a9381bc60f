-- Everybody who ever waited for some skus.
--   $1  sku ids
-- One row an entry. offeredAt: when its order was born. updatedAt: of an entry that left or ended without an offer, when.
SELECT e.entry_id AS "entryId", e.sku_id AS "skuId", e.user_id AS "userId", e.place::int AS place, e.state, e.barred,
  e.joined_at AS "joinedAt", e.updated_at AS "updatedAt", o.created_at AS "offeredAt"
FROM ledger.waitlist_entries AS e LEFT JOIN ledger.orders AS o ON o.entry_id = e.entry_id
WHERE e.sku_id = ANY ($1)
ORDER BY e.sku_id, e.place;
