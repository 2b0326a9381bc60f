-- The lowest unpublished changes of orders, with what an event tells about the order.
--   at_most  rows
-- A change with a lower id may be committed later: it is then the first of the next call.
CREATE OR REPLACE FUNCTION ledger.outbox_take(at_most int)
RETURNS TABLE (
  id bigint, order_id uuid, order_version int, state text, at timestamptz, store_id text, user_id text, lines json
)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT x.id, x.order_id, x.order_version, x.state, x.at, o.store_id, o.user_id, o.lines
  FROM (SELECT * FROM outbox WHERE published_at IS NULL ORDER BY id LIMIT at_most) AS x
  JOIN order_rows AS o ON o.order_id = x.order_id
  ORDER BY x.id;
END $$;
