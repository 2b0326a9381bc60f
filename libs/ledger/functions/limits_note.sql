-- Notes which skus attendees have units of, where their store has a limit over all its skus. Called by whoever gives
-- units to attendees, in the same transaction, under the locks of the skus.
--   unit_skus, unit_attendees   pairs
CREATE OR REPLACE FUNCTION ledger.limits_note(unit_skus text[], unit_attendees text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
BEGIN
  INSERT INTO attendee_limits AS n (store_id, attendee_id, sku_ids)
  SELECT sku.store_id, u.attendee_id, array_agg(u.sku_id)
  FROM unnest(unit_skus, unit_attendees) AS u (sku_id, attendee_id)
  JOIN skus AS sku ON sku.sku_id = u.sku_id
  JOIN store_limits AS l ON l.store_id = sku.store_id AND l.per_attendee_limit IS NOT NULL
  GROUP BY sku.store_id, u.attendee_id ORDER BY sku.store_id, u.attendee_id
  ON CONFLICT (store_id, attendee_id) DO UPDATE SET sku_ids = ARRAY(
    SELECT a.sku_id FROM unnest(n.sku_ids) AS s (sku_id)
    JOIN attendee_units AS a ON a.sku_id = s.sku_id AND a.attendee_id = n.attendee_id AND a.units > 0
    UNION
    SELECT s.sku_id FROM unnest(excluded.sku_ids) AS s (sku_id));
END $$;
REVOKE EXECUTE ON FUNCTION ledger.limits_note FROM holdfast_runtime;
