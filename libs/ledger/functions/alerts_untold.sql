-- What the world was not told of alerts, by alert; of one alert its raising comes first, and its clearing in a later call.
--   at_most  rows
-- Returns rows of alerts, with told as it is to become: RAISED or CLEARED.
CREATE OR REPLACE FUNCTION ledger.alerts_untold(at_most int) RETURNS SETOF ledger.alerts
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
  untold alerts%ROWTYPE;
BEGIN
  FOR untold IN
    SELECT * FROM alerts AS a
    WHERE a.told = 'NOTHING' OR (a.told = 'RAISED' AND a.cleared_at IS NOT NULL) ORDER BY a.id LIMIT at_most
  LOOP
    untold.told := CASE untold.told WHEN 'NOTHING' THEN 'RAISED' ELSE 'CLEARED' END;
    RETURN NEXT untold;
  END LOOP;
END $$;
