-- Counts what people have beyond one sku, and keeps it from changing: locks their rows, then reads. The caller holds the
-- locks of the skus; who gives units or orders to one of these people meanwhile waits here, or is waited for.
--   sku_ids                    skus
--   pair_skus, pair_attendees  pairs of sku (index into sku_ids, from 1) and attendee
--   store_ids, user_ids        stores and users of orders
--   waits                      false: not for rows that somebody else has, as one must who has such rows already and
--                              takes more of them out of order
-- Returns null when none of the skus has such a limit; {"not now": true} where it would have to wait; else figures by limit and person, as limits_spend takes them:
-- {"STORE store attendee" | "GROUP store attendee group" | "OPEN_ORDERS store user" | "UNFULFILLED store user":
--   {limit, has}}, and {"sku_id": group} for skus in a group with a limit. No id has a space in it.
CREATE OR REPLACE FUNCTION ledger.limits_open(
  sku_ids text[], pair_skus int[], pair_attendees text[], store_ids text[], user_ids text[],
  waits boolean DEFAULT true
) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  locked int;
  people_stores text[]; people text[];
  at timestamptz;
BEGIN
  IF NOT EXISTS (
    SELECT FROM skus AS sku LEFT JOIN store_limits AS l ON l.store_id = sku.store_id
    WHERE sku.sku_id = ANY (sku_ids) AND (sku.limit_group IS NOT NULL
      OR num_nonnulls(l.per_attendee_limit, l.open_orders_per_user, l.unfulfilled_per_user) > 0)
  ) THEN
    RETURN NULL;
  END IF;

  SELECT array_agg(p.store_id), array_agg(p.id) INTO people_stores, people
  FROM (
    SELECT sku.store_id, u.attendee_id AS id FROM unnest(pair_skus, pair_attendees) AS u (k, attendee_id)
    JOIN skus AS sku ON sku.sku_id = sku_ids[u.k]
    LEFT JOIN store_limits AS l ON l.store_id = sku.store_id
    WHERE sku.limit_group IS NOT NULL OR l.per_attendee_limit IS NOT NULL
    UNION
    SELECT u.store_id, u.user_id FROM unnest(store_ids, user_ids) AS u (store_id, user_id)
    JOIN store_limits AS l ON l.store_id = u.store_id
    WHERE num_nonnulls(l.open_orders_per_user, l.unfulfilled_per_user) > 0
  ) AS p;
  IF waits THEN
    INSERT INTO attendee_limits (store_id, attendee_id)
    SELECT p.store_id, p.id FROM unnest(people_stores, people) AS p (store_id, id) ORDER BY p.store_id, p.id
    ON CONFLICT DO NOTHING;
    PERFORM FROM unnest(people_stores, people) AS p (store_id, id)
    JOIN attendee_limits AS a ON a.store_id = p.store_id AND a.attendee_id = p.id
    ORDER BY a.store_id, a.attendee_id FOR NO KEY UPDATE OF a;
  ELSE
    PERFORM FROM unnest(people_stores, people) AS p (store_id, id)
    JOIN attendee_limits AS a ON a.store_id = p.store_id AND a.attendee_id = p.id
    FOR NO KEY UPDATE OF a SKIP LOCKED;
    GET DIAGNOSTICS locked = ROW_COUNT;
    IF locked < cardinality(people) THEN
      RETURN '{"not now": true}';
    END IF;
  END IF;
  at := clock();

  RETURN (
    WITH pairs AS (
      SELECT DISTINCT sku.store_id, sku.limit_group, u.attendee_id
      FROM unnest(pair_skus, pair_attendees) AS u (k, attendee_id) JOIN skus AS sku ON sku.sku_id = sku_ids[u.k]
    ), figures AS (
      SELECT concat_ws(' ', 'STORE', p.store_id, p.attendee_id) AS name, l.per_attendee_limit AS most, (
        SELECT coalesce(sum(a.units), 0) FROM attendee_limits AS n
        CROSS JOIN LATERAL unnest(n.sku_ids) AS s (sku_id)
        JOIN attendee_units AS a ON a.sku_id = s.sku_id AND a.attendee_id = n.attendee_id
        WHERE n.store_id = p.store_id AND n.attendee_id = p.attendee_id) AS has
      FROM (SELECT DISTINCT store_id, attendee_id FROM pairs) AS p JOIN store_limits AS l ON l.store_id = p.store_id
      WHERE l.per_attendee_limit IS NOT NULL
      UNION ALL
      SELECT concat_ws(' ', 'GROUP', p.store_id, p.attendee_id, p.limit_group), g.per_attendee_limit, (
        SELECT coalesce(sum(a.units), 0) FROM skus AS s
        JOIN attendee_units AS a ON a.sku_id = s.sku_id AND a.attendee_id = p.attendee_id
        WHERE s.store_id = p.store_id AND s.limit_group = p.limit_group)
      FROM pairs AS p JOIN group_limits AS g ON g.store_id = p.store_id AND g.group_id = p.limit_group
      UNION ALL
      SELECT concat_ws(' ', x.scope, u.store_id, u.user_id), x.most, (
        SELECT count(*) FROM orders AS o
        WHERE o.user_id = u.user_id AND o.store_id = u.store_id
          AND (o.state = 'HELD' AND o.expires_at > at OR o.state = 'CONFIRMED' AND x.scope = 'UNFULFILLED'))
      FROM (SELECT DISTINCT * FROM unnest(store_ids, user_ids) AS u (store_id, user_id)) AS u
      JOIN store_limits AS l ON l.store_id = u.store_id
      CROSS JOIN LATERAL (VALUES ('OPEN_ORDERS', l.open_orders_per_user), ('UNFULFILLED', l.unfulfilled_per_user))
        AS x (scope, most)
      WHERE x.most IS NOT NULL
    )
    SELECT coalesce(jsonb_object_agg(f.name, jsonb_build_object('limit', f.most, 'has', f.has)), '{}') || (
      SELECT coalesce(jsonb_object_agg(s.sku_id, s.limit_group), '{}') FROM skus AS s
      JOIN group_limits AS g ON g.store_id = s.store_id AND g.group_id = s.limit_group
      WHERE s.sku_id = ANY (sku_ids))
    FROM figures AS f
  );
END $$;
REVOKE EXECUTE ON FUNCTION ledger.limits_open FROM holdfast_runtime;
