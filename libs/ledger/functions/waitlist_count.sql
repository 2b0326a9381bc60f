-- Counts arrivals of a sku in or out of those who wait. The caller holds the stock's lock.
--   of_sku  the sku
--   places  the arrivals, each once
--   by      1: they wait now; -1: they do not any more
CREATE OR REPLACE FUNCTION ledger.waitlist_count(of_sku text, places bigint[], by int) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
BEGIN
  IF by > 0 THEN
    INSERT INTO waitlist_counts AS c (sku_id, level, block, waiting)
    SELECT of_sku, b.level, p.place / b.size, count(*)
    FROM unnest(places) AS p (place)
    CROSS JOIN (VALUES (1, 100::bigint), (2, 10000), (3, 1000000), (4, 100000000)) AS b (level, size)
    GROUP BY b.level, p.place / b.size
    ON CONFLICT (sku_id, level, block) DO UPDATE SET waiting = c.waiting + excluded.waiting;
  ELSE
    UPDATE waitlist_counts AS c SET waiting = c.waiting - t.gone
    FROM (
      SELECT b.level, p.place / b.size AS block, count(*)::int AS gone
      FROM unnest(places) AS p (place)
      CROSS JOIN (VALUES (1, 100::bigint), (2, 10000), (3, 1000000), (4, 100000000)) AS b (level, size)
      GROUP BY b.level, p.place / b.size
    ) AS t
    WHERE c.sku_id = of_sku AND c.level = t.level AND c.block = t.block;
  END IF;
  UPDATE stock SET waiting = waiting + by * cardinality(places) WHERE sku_id = of_sku;
END $$;
REVOKE EXECUTE ON FUNCTION ledger.waitlist_count FROM holdfast_runtime;
