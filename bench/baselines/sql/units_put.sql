-- Units of a sku.
-- $1 text sku, $2 int how many
INSERT INTO units (unit, sku_id)
SELECT (SELECT coalesce(max(unit), 0) FROM units) + n, $1 FROM generate_series(1, $2::int) AS n
