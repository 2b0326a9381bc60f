-- Alerts, the last seen first.
--   with_cleared           also those that were cleared
--   before_at, before_id   the last alert of the page before: last_seen_at and id; null: from the newest
--   at_most                rows
CREATE OR REPLACE FUNCTION ledger.alerts_list(
  with_cleared boolean, before_at timestamptz, before_id bigint, at_most int
) RETURNS SETOF ledger.alerts
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
  upto_at CONSTANT timestamptz := coalesce(before_at, 'infinity');
  upto_id CONSTANT bigint := coalesce(before_id, 9223372036854775807);
BEGIN
  -- One statement for each, so that each has its own index.
  IF with_cleared THEN
    RETURN QUERY SELECT * FROM alerts AS a WHERE (a.last_seen_at, a.id) < (upto_at, upto_id)
    ORDER BY a.last_seen_at DESC, a.id DESC LIMIT at_most;
  ELSE
    RETURN QUERY SELECT * FROM alerts AS a WHERE a.cleared_at IS NULL AND (a.last_seen_at, a.id) < (upto_at, upto_id)
    ORDER BY a.last_seen_at DESC, a.id DESC LIMIT at_most;
  END IF;
END $$;
