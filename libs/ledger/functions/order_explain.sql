-- An order and its story, from one snapshot, with that of the entry of a waitlist that it was offered to.
--   of_order  the order, or an entry that was offered nothing yet
-- Returns one row: the order (a row of order_rows, null of an entry) and its story, [{at, order_id, what, facts}] in the
-- order of time, at most 1000; no row when there is neither.
CREATE OR REPLACE FUNCTION ledger.order_explain(of_order uuid) RETURNS TABLE (order_row json, story json)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
  request text;
  skus text[];
  -- The order and its entry.
  ids uuid[];
  since timestamptz;
  until timestamptz;
BEGIN
  SELECT o.request_id, ARRAY_REMOVE(ARRAY[of_order, o.entry_id], NULL), coalesce(e.joined_at, o.created_at), o.updated_at,
    ARRAY(SELECT DISTINCT l.sku_id FROM order_lines AS l WHERE l.order_id = of_order)
  INTO request, ids, since, until, skus
  FROM orders AS o LEFT JOIN waitlist_entries AS e ON e.entry_id = o.entry_id WHERE o.order_id = of_order;
  IF NOT FOUND THEN
    SELECT e.request_id, ARRAY[of_order], e.joined_at, e.updated_at, ARRAY[e.sku_id] INTO request, ids, since, until, skus
    FROM waitlist_entries AS e WHERE e.entry_id = of_order;
    IF NOT FOUND THEN
      RETURN;
    END IF;
  END IF;
  RETURN QUERY SELECT (SELECT row_to_json(o) FROM order_rows AS o WHERE o.order_id = of_order), (
    SELECT coalesce(json_agg(s), '[]') FROM (
      SELECT e.at, e.order_id, e.what, e.facts FROM (
        SELECT * FROM orders_story(ARRAY[of_order])
        UNION ALL SELECT * FROM entries_story(ids)
        UNION ALL SELECT * FROM access_story(request, ids)
        UNION ALL SELECT * FROM skus_story(skus, since, until)
      ) AS e
      ORDER BY e.at, e.place LIMIT 1000
    ) AS s);
END $$;
