-- Orders of a sku that were admitted within a time.
-- $1 text: the sku    $2 timestamptz: from    $3 timestamptz: to
SELECT count(*)::int AS orders FROM ledger.movements
WHERE sku_id = $1 AND reason = 'ADMIT' AND at >= $2 AND at < $3
