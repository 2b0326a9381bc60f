-- Whether units are held, and when that was looked at.
-- $1 text: begins the id of each sku
SELECT EXISTS (SELECT FROM ledger.stock WHERE starts_with(sku_id, $1) AND held > 0) AS are_left, clock_timestamp() AS at
