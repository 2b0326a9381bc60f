-- Notes which orders and entries of a batch staff booked, why, and which limits were passed over. The caller, claims_admit,
-- has written them.
--   order_ids, deciders       the orders, and the claim that decided each now; null: none
--   joiners, joined_orders    claims that wait, and the index of their order
--   staffs                    by claim: null, or {by, reason}
--   passed                    by order: limits that were passed over for it, [{scope, sku_id, limit}]
--   at                        when
CREATE OR REPLACE FUNCTION ledger.staff_note(
  order_ids uuid[], deciders int[], joiners int[], joined_orders int[], staffs jsonb[], passed jsonb[], at timestamptz
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
BEGIN
  WITH booked AS (
    SELECT d.order_id, staffs[d.i] AS staff FROM unnest(order_ids, deciders) AS d (order_id, i) WHERE staffs[d.i] IS NOT NULL
  ), orders_booked AS (
    UPDATE orders AS o SET channel = 'STAFF' FROM booked AS b WHERE o.order_id = b.order_id
    RETURNING o.order_id, b.staff
  )
  INSERT INTO order_changes (order_id, order_version, verb, changed_by, note, at)
  SELECT b.order_id, 1, 'BOOK', b.staff ->> 'by', b.staff ->> 'reason', at FROM orders_booked AS b;

  WITH entries_joined AS (
    UPDATE waitlist_entries AS e SET channel = 'STAFF'
    FROM unnest(joiners, joined_orders) AS j (i, o)
    WHERE e.entry_id = order_ids[j.o] AND staffs[j.i] IS NOT NULL
    RETURNING e.entry_id, staffs[j.i] AS staff
  )
  INSERT INTO order_changes (order_id, order_version, verb, changed_by, at)
  SELECT e.entry_id, 1, 'JOIN', e.staff ->> 'by', at FROM entries_joined AS e;

  INSERT INTO control_changes (what, scope, scope_id, was, became, reason, changed_by, changed_at, request_id)
  SELECT 'FORCE', 'SKU', p.limits -> 0 ->> 'sku_id', (
      SELECT string_agg(concat_ws(' ', 'limit', l ->> 'limit', 'of', l ->> 'scope', l ->> 'sku_id'), ', ')
      FROM jsonb_array_elements(p.limits) AS l
    ), 'order ' || p.order_id, staffs[p.i] ->> 'reason', staffs[p.i] ->> 'by', at, p.order_id
  FROM unnest(order_ids, deciders, passed) AS p (order_id, i, limits)
  WHERE p.i IS NOT NULL AND p.limits IS NOT NULL;
END $$;
REVOKE EXECUTE ON FUNCTION ledger.staff_note FROM holdfast_runtime;
