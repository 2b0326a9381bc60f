-- Takes entries along with the orders that they were offered. The caller, orders_transition, holds the orders' locks
-- and those of their skus.
--   order_ids  orders that changed; those of no entry are left out
--   at         when
-- CONFIRMED: PROMOTED, also late, when its units could be taken anew. EXPIRED: EXPIRED. CANCELLED before it was
-- confirmed: DECLINED; after it, nothing.
CREATE OR REPLACE FUNCTION ledger.waiters_follow(order_ids uuid[], at timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
BEGIN
  WITH followed AS (
    UPDATE waitlist_entries AS e SET version = e.version + 1, updated_at = at,
      state = CASE o.state WHEN 'CONFIRMED' THEN 'PROMOTED' WHEN 'EXPIRED' THEN 'EXPIRED' ELSE 'DECLINED' END
    FROM orders AS o
    WHERE o.order_id = ANY (order_ids) AND o.entry_id IS NOT NULL AND e.entry_id = o.entry_id
      AND (o.state IN ('CONFIRMED', 'EXPIRED', 'CANCELLED') AND e.state = 'OFFERED'
        OR o.state = 'CONFIRMED' AND e.state IN ('EXPIRED', 'DECLINED'))
    RETURNING e.entry_id, e.version, e.state
  )
  INSERT INTO outbox (kind, order_id, order_version, state, at)
  SELECT 'WAITLIST', f.entry_id, f.version, f.state, at FROM followed AS f;
END $$;
REVOKE EXECUTE ON FUNCTION ledger.waiters_follow FROM holdfast_runtime;
