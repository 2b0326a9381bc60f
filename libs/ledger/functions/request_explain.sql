-- Everything that came of a request id, from one snapshot.
--   of_request  the request id
--   who         its user; null: whoever used it
--   of_id       the id that its order or entry has, when it is known; null: those that are recorded
--   at_most     orders, the newest
-- Returns one row: the orders (rows of order_rows, newest first) and one story of all as in order_explain.
CREATE OR REPLACE FUNCTION ledger.request_explain(of_request text, who text, of_id uuid, at_most int)
RETURNS TABLE (order_rows json, story json)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  -- Of requests: of their orders, or of their entries.
  asked uuid[];
  orders uuid[];
BEGIN
  asked := ARRAY(
    SELECT of_id WHERE of_id IS NOT NULL
    UNION
    SELECT r.order_id FROM (
      SELECT a.order_id FROM access_records AS a
      WHERE of_id IS NULL AND a.request_id = of_request AND (who IS NULL OR a.user_id = who) ORDER BY a.at DESC LIMIT 1000
    ) AS r
    LIMIT at_most);
  orders := asked || ARRAY(
    SELECT e.order_id FROM waitlist_entries AS e WHERE e.entry_id = ANY (asked) AND e.order_id IS NOT NULL);
  RETURN QUERY SELECT (
      SELECT coalesce(json_agg(o ORDER BY o.created_at DESC, o.order_id DESC), '[]')
      FROM order_rows AS o WHERE o.order_id = ANY (orders)
    ), (
      SELECT coalesce(json_agg(s), '[]') FROM (
        SELECT e.at, e.order_id, e.what, e.facts FROM (
          SELECT * FROM orders_story(orders)
          UNION ALL SELECT * FROM entries_story(asked)
          UNION ALL SELECT * FROM access_story(of_request, asked)
        ) AS e
        ORDER BY e.at, e.place, e.order_id LIMIT 1000
      ) AS s
    );
END $$;
