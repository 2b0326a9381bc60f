-- How units moved, the newest first: who did what, when, why, and to whom the units went.
--   of_sku, of_order  the sku, or the order; the other null
--   before_at, before_sequence   the last movement of the page before; null: from the newest
--   at_most           rows
-- Of one millisecond the newest is what was written last. A payment is PAY, also one that came in time and is told late.
-- went_to are the orders of waiters that took up what came back of the sku in the same transaction.
CREATE OR REPLACE FUNCTION ledger.movements_list(
  of_sku text, of_order uuid, before_at timestamptz, before_sequence bigint, at_most int
) RETURNS TABLE (at timestamptz, order_id uuid, order_version int, sku_id text, delta_free int, delta_reserved int,
  delta_held int, delta_sold int, reason text, user_id text, changed_by text, note text, went_to uuid[],
  sequence bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH page AS (
    (SELECT m.* FROM movements AS m
    WHERE of_order IS NULL AND m.sku_id = of_sku AND m.reason <> ''
      AND (m.at, m.sequence) < (coalesce(before_at, 'infinity'), coalesce(before_sequence, 9223372036854775807))
    ORDER BY m.at DESC, m.sequence DESC LIMIT at_most)
    UNION ALL
    (SELECT m.* FROM movements AS m
    WHERE m.order_id = of_order
      AND (m.at, m.sequence) < (coalesce(before_at, 'infinity'), coalesce(before_sequence, 9223372036854775807))
    ORDER BY m.at DESC, m.sequence DESC LIMIT at_most)
  )
  SELECT p.at, p.order_id, p.order_version, p.sku_id, p.delta_free, p.delta_reserved, p.delta_held, p.delta_sold,
    CASE p.reason WHEN 'PAY_IN_TIME' THEN 'PAY' ELSE p.reason END, o.user_id, coalesce(c.changed_by, CASE p.reason WHEN 'ADMIT' THEN o.user_id WHEN 'EXPIRE' THEN 'expiry'
      WHEN 'PROMOTE' THEN 'waitlist' WHEN 'REPAIR' THEN 'reconcile' WHEN 'ACCEPT' THEN o.user_id
      WHEN 'CANCEL' THEN o.user_id ELSE 'payment' END),
    c.note, ARRAY(
      SELECT n.order_id FROM movements AS n
      WHERE p.delta_free + p.delta_reserved > 0 AND n.sku_id = p.sku_id AND n.at = p.at AND n.reason = 'PROMOTE'
        AND n.reason <> ''
      ORDER BY n.order_id LIMIT 100), p.sequence
  FROM page AS p
  LEFT JOIN orders AS o ON o.order_id = p.order_id
  LEFT JOIN order_changes AS c ON c.order_id = p.order_id AND c.order_version = p.order_version
  ORDER BY p.at DESC, p.sequence DESC;
END $$;
