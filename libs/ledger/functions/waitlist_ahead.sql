-- How many wait at a sku before an arrival: whole blocks of arrivals from the largest to the smallest, and what is left
-- of the last block one by one.
--   of_sku    the sku
--   of_place  the arrival
CREATE OR REPLACE FUNCTION ledger.waitlist_ahead(of_sku text, of_place bigint) RETURNS int
LANGUAGE sql STABLE
AS $$
  SELECT ((
    SELECT coalesce(sum(c.waiting), 0)
    FROM (VALUES (1, 100::bigint), (2, 10000), (3, 1000000), (4, 100000000)) AS b (level, size)
    JOIN ledger.waitlist_counts AS c ON c.sku_id = of_sku AND c.level = b.level
      AND c.block >= CASE b.level WHEN 4 THEN 0 ELSE of_place / (b.size * 100) * 100 END
      AND c.block < of_place / b.size
  ) + (
    SELECT count(*) FROM ledger.waitlist_entries AS e
    WHERE e.sku_id = of_sku AND e.place >= of_place / 100 * 100 AND e.place < of_place AND e.state = 'WAITING'
  ))::int
$$;
