-- Looks at who waits for some skus, from one snapshot, and lists what does not hold.
--   sku_ids  the skus
-- Returns rows as audit_skus does, which names them.
CREATE OR REPLACE FUNCTION ledger.audit_waitlists(sku_ids text[])
RETURNS TABLE (violation text, sku_id text, order_id uuid, detail jsonb)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH entries AS MATERIALIZED (
    SELECT e.sku_id, e.entry_id, e.place, e.barred, e.state, e.order_id
    FROM stock AS s JOIN waitlist_entries AS e ON e.sku_id = s.sku_id
    WHERE s.sku_id = ANY (sku_ids) AND s.waitlist_tail > 0 AND e.state IN ('WAITING', 'OFFERED')
  ), waits AS MATERIALIZED (
    SELECT s.sku_id, s.free, s.reserved, s.waiting, count(e.place) AS entries,
      count(e.place) FILTER (WHERE e.barred IS NULL) AS eligible
    FROM stock AS s LEFT JOIN entries AS e ON e.sku_id = s.sku_id AND e.state = 'WAITING'
    WHERE s.sku_id = ANY (sku_ids) GROUP BY s.sku_id
  )
  SELECT 'WAITING_NOT_OF_ENTRIES', w.sku_id, NULL::uuid,
    jsonb_build_object('differs', w.waiting - w.entries, 'waiting', w.waiting, 'of_entries', w.entries)
  FROM waits AS w WHERE w.waiting <> w.entries
  UNION ALL
  SELECT 'WAITING_NOT_OF_ENTRIES', c.sku_id, NULL, jsonb_build_object(
    'differs', c.level, 'block', c.block, 'waiting', sum(c.waiting), 'of_entries', sum(c.entries))
  FROM (
    SELECT c.sku_id, c.level, c.block, c.waiting, 0 AS entries FROM waitlist_counts AS c
    WHERE c.sku_id = ANY (sku_ids)
    UNION ALL
    SELECT e.sku_id, b.level, e.place / b.size, 0, 1
    FROM entries AS e CROSS JOIN (VALUES (1, 100::bigint), (2, 10000), (3, 1000000), (4, 100000000)) AS b (level, size)
    WHERE e.state = 'WAITING'
  ) AS c
  GROUP BY c.sku_id, c.level, c.block HAVING sum(c.waiting) <> sum(c.entries)
  UNION ALL
  SELECT 'WAITER_PASSED_OVER', w.sku_id, NULL,
    jsonb_build_object('free', w.free, 'reserved', w.reserved, 'waiting', w.waiting, 'eligible', w.eligible)
  FROM waits AS w WHERE w.free > 0 AND w.eligible > 0 AND NOT sale_is_over(w.sku_id, clock())
  UNION ALL
  SELECT 'UNITS_KEPT_FOR_NOBODY', w.sku_id, NULL, jsonb_build_object('reserved', w.reserved)
  FROM waits AS w WHERE w.reserved > 0 AND w.entries = 0
  UNION ALL
  SELECT 'OFFER_NOT_OF_ORDER', e.sku_id, e.order_id,
    jsonb_build_object('entry_id', e.entry_id, 'order_state', o.state)
  FROM entries AS e LEFT JOIN orders AS o ON o.order_id = e.order_id AND o.entry_id = e.entry_id
  WHERE e.state = 'OFFERED' AND o.state IS DISTINCT FROM 'HELD';
END $$;
