-- Counts the units for their attendee. No row comes back when that would be more than the sku's limit.
-- $1 text sku, $2 text attendee, $3 int quantity
INSERT INTO ledger.attendee_units AS a (sku_id, attendee_id, units)
SELECT $1, $2, $3::int FROM ledger.skus AS sku WHERE sku.sku_id = $1 AND sku.per_user_limit >= $3::int
ON CONFLICT (sku_id, attendee_id) DO UPDATE SET units = a.units + excluded.units
WHERE a.units + excluded.units <= (SELECT per_user_limit FROM ledger.skus WHERE sku_id = $1)
RETURNING units
