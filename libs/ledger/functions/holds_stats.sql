-- What became of the holds that were made since an instant, of a sku or of all skus of a store.
--   of_store, of_sku  one of them, the other null    since  the instant
-- Returns one row: holds; paid, and of those how many within 5, 10, 15 and 30 minutes; expired; cancelled; open, those that
-- are held now; and vain_unit_minutes, how long units were held for nothing.
CREATE OR REPLACE FUNCTION ledger.holds_stats(of_store text, of_sku text, since timestamptz)
RETURNS TABLE (holds int, paid int, paid_in_5 int, paid_in_10 int, paid_in_15 int, paid_in_30 int, expired int,
  cancelled int, open int, vain_unit_minutes float8)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  sku_ids CONSTANT text[] := CASE WHEN of_sku IS NOT NULL THEN ARRAY[of_sku]
    ELSE ARRAY(SELECT s.sku_id FROM skus AS s WHERE s.store_id = of_store) END;
BEGIN
  RETURN QUERY
  WITH held AS (
    SELECT m.order_id, min(m.at) AS born, min(e.at) AS ended, min(e.reason) AS reason, sum(m.delta_held) AS units
    FROM movements AS m
    LEFT JOIN LATERAL (
      SELECT n.at, n.reason FROM movements AS n
      WHERE n.order_id = m.order_id AND n.sku_id = m.sku_id AND n.order_version > m.order_version AND n.delta_held < 0
        AND n.reason <> 'CANCEL_PART' AND n.reason <> 'MOVE'
      ORDER BY n.order_version LIMIT 1
    ) AS e ON true
    WHERE m.sku_id = ANY (sku_ids) AND m.at >= since AND m.reason IN ('ADMIT', 'PROMOTE') AND m.reason <> ''
      AND m.delta_held > 0
    GROUP BY m.order_id
  ), told AS (
    SELECT h.*, h.reason IN ('PAY', 'PAY_IN_TIME', 'ACCEPT') AS is_paid,
      extract(epoch FROM h.ended - h.born) / 60 AS minutes
    FROM held AS h
  )
  SELECT count(*)::int, count(*) FILTER (WHERE t.is_paid)::int,
    count(*) FILTER (WHERE t.is_paid AND t.minutes <= 5)::int, count(*) FILTER (WHERE t.is_paid AND t.minutes <= 10)::int,
    count(*) FILTER (WHERE t.is_paid AND t.minutes <= 15)::int, count(*) FILTER (WHERE t.is_paid AND t.minutes <= 30)::int,
    count(*) FILTER (WHERE t.reason = 'EXPIRE')::int, count(*) FILTER (WHERE t.reason = 'CANCEL')::int,
    count(*) FILTER (WHERE t.ended IS NULL)::int,
    coalesce(sum(t.units * t.minutes) FILTER (WHERE NOT t.is_paid), 0)::float8
  FROM told AS t;
END $$;
