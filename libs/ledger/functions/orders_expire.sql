-- Closes holds that are past their expiry: the longest overdue first, those that somebody works on left out.
--   batch_size  orders at most
-- Returns one row: how many expired; freed, [{store_id, sku_id}] whose units came back; next_due_at, the earliest
-- expiry of the holds that remain, null when there are none.
CREATE OR REPLACE FUNCTION ledger.orders_expire(batch_size int)
RETURNS TABLE (expired int, freed json, next_due_at timestamptz)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  at CONSTANT timestamptz := clock();
  due uuid[];
BEGIN
  SELECT coalesce(array_agg(d.order_id), '{}') INTO due FROM (
    SELECT o.order_id FROM orders AS o WHERE o.state = 'HELD' AND o.expires_at <= at
    ORDER BY o.expires_at LIMIT batch_size FOR NO KEY UPDATE SKIP LOCKED
  ) AS d;
  IF due <> '{}' THEN
    SELECT array_agg(t.order_id) INTO due FROM orders_transition('EXPIRE', due, NULL) AS t WHERE t.changed;
  END IF;
  RETURN QUERY SELECT coalesce(cardinality(due), 0), (
      SELECT coalesce(json_agg(f), '[]') FROM (
        SELECT DISTINCT o.store_id, l.sku_id FROM orders AS o JOIN order_lines AS l ON l.order_id = o.order_id
        WHERE o.order_id = ANY (due)
      ) AS f
    ), (SELECT o.expires_at FROM orders AS o WHERE o.state = 'HELD' ORDER BY o.expires_at LIMIT 1);
END $$;
