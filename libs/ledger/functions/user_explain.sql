-- Everything that somebody did about a sku, as a user or as an attendee, from one snapshot, and what they were told.
--   who, of_sku  the user or attendee, and the sku
--   at_most      orders, the newest
-- Returns one row: the orders (rows of order_rows, newest first), one story of all as in order_explain, the units that they
-- have now, and how many one may have; no row when there is no such sku.
CREATE OR REPLACE FUNCTION ledger.user_explain(who text, of_sku text, at_most int)
RETURNS TABLE (order_rows json, story json, units int, per_user_limit int)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
SET enable_hashagg = off
AS $$
#variable_conflict use_column
DECLARE
  ids uuid[];
  entries uuid[];
  since timestamptz;
  -- Of the oldest of the 200 answers.
  asked_since timestamptz;
BEGIN
  SELECT coalesce(array_agg(t.order_id ORDER BY t.created_at DESC, t.order_id DESC), '{}'), min(t.created_at)
  INTO ids, since FROM (
    SELECT f.order_id, f.created_at FROM (
      SELECT o.order_id, o.created_at FROM orders AS o WHERE o.user_id = who AND EXISTS (
        SELECT FROM order_lines AS l WHERE l.order_id = o.order_id AND l.sku_id = of_sku)
      UNION
      SELECT l.order_id, l.created_at FROM order_lines AS l WHERE l.sku_id = of_sku AND l.attendee_id = who
    ) AS f
    ORDER BY f.created_at DESC, f.order_id DESC LIMIT at_most
  ) AS t;
  SELECT coalesce(array_agg(w.entry_id), '{}'), least(since, min(w.joined_at)) INTO entries, since FROM (
    SELECT e.entry_id, e.joined_at FROM waitlist_entries AS e WHERE e.user_id = who AND e.sku_id = of_sku
    ORDER BY e.joined_at DESC LIMIT at_most
  ) AS w;
  SELECT min(a.at) INTO asked_since FROM (
    SELECT a.at FROM access_records AS a WHERE a.user_id = who AND of_sku = ANY (a.sku_ids) ORDER BY a.at DESC LIMIT 200
  ) AS a;
  RETURN QUERY SELECT (
      SELECT coalesce(json_agg(o ORDER BY o.created_at DESC, o.order_id DESC), '[]')
      FROM ledger.order_rows AS o WHERE o.order_id = ANY (ids)
    ), (
      SELECT coalesce(json_agg(s), '[]') FROM (
        SELECT e.at, e.order_id, e.what, e.facts FROM (
          SELECT * FROM orders_story(ids)
          UNION ALL SELECT * FROM entries_story(entries)
          UNION ALL
          SELECT e.* FROM access_records AS a CROSS JOIN LATERAL access_event(a) AS e
          WHERE a.user_id = who AND of_sku = ANY (a.sku_ids) AND a.at >= asked_since
          UNION ALL
          SELECT * FROM skus_story(ARRAY[of_sku], coalesce(least(since, asked_since), clock()), 'infinity')
        ) AS e
        ORDER BY e.at, e.place, e.order_id LIMIT 1000
      ) AS s
    ),
    coalesce((SELECT a.units FROM attendee_units AS a WHERE a.sku_id = of_sku AND a.attendee_id = who), 0),
    sku.per_user_limit
  FROM skus AS sku WHERE sku.sku_id = of_sku;
END $$;
