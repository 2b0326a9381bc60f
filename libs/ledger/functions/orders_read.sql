-- Orders by their ids, at most one row an id, in the order of the ids. Unknown ones are left out.
CREATE OR REPLACE FUNCTION ledger.orders_read(order_ids uuid[]) RETURNS SETOF ledger.order_rows
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
BEGIN
  RETURN QUERY SELECT * FROM order_rows AS o WHERE o.order_id = ANY (order_ids) ORDER BY o.order_id;
END $$;
