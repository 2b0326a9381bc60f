-- Notes what the world was told of alerts. Again the same is fine.
--   ids, news   the alerts, and of each what was told: RAISED or CLEARED
CREATE OR REPLACE FUNCTION ledger.alerts_mark_told(ids bigint[], news text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
BEGIN
  UPDATE alerts AS a SET told = n.news FROM unnest(ids, news) AS n (id, news)
  WHERE a.id = n.id AND a.told = CASE n.news WHEN 'RAISED' THEN 'NOTHING' ELSE 'RAISED' END;
END $$;
