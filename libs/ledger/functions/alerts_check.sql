-- Looks for what is late or left over, raises alerts for it, and clears those whose cause is gone.
--   expiry_late_ms   EXPIRY_LATE: a hold is past its expires_at for longer
--   outbox_late_ms   OUTBOX_LATE: an event is unpublished for longer; null: nobody publishes here, so none is late
--   flowing          subjects of STALLED_CONSUMER that are not stalled
--   settled_ms       such an alert is cleared when it was not seen for so long: several processes see one cause
-- DEAD_LETTER is one alert for all letters that nobody has seen to: a bad deployment makes thousands of them.
-- Counts end at 1000.
-- Returns one row: how many alerts this call raised and cleared, and open, those that are open now by kind.
CREATE OR REPLACE FUNCTION ledger.alerts_check(expiry_late_ms int, outbox_late_ms int, flowing text[], settled_ms int)
RETURNS TABLE (raised int, cleared int, open jsonb)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
  looked_at CONSTANT timestamptz := clock();
  expired_before CONSTANT timestamptz := looked_at - expiry_late_ms * interval '1 millisecond';
  news int := 0;
  gone int;
  finding record;
BEGIN
  WITH settled AS (
    UPDATE alerts AS a SET cleared_at = looked_at, cleared_by = 'system', cleared_reason = 'claims are taken'
    WHERE a.kind = 'STALLED_CONSUMER' AND a.subject = ANY (flowing) AND a.cleared_at IS NULL
      AND a.last_seen_at < looked_at - settled_ms * interval '1 millisecond'
    RETURNING a.id
  )
  SELECT count(*) INTO gone FROM settled;

  FOR finding IN
    SELECT 'DEAD_LETTER' AS kind, 'dead-letters' AS subject, 'holdfast dead-letters list' AS command, (
      SELECT jsonb_build_object('letters', count(*), 'oldest_id', min(d.id), 'oldest_at', min(d.at))
      FROM (SELECT l.id, l.at FROM dead_letters AS l WHERE l.resolved_at IS NULL ORDER BY l.id LIMIT 1000) AS d
      HAVING count(*) > 0
    ) AS facts
    UNION ALL
    SELECT 'EXPIRY_LATE', 'holds', 'holdfast jobs list', (
      SELECT jsonb_build_object('holds', count(*), 'oldest_expires_at', min(d.expires_at),
        'late_ms', round(extract(epoch FROM looked_at - min(d.expires_at)) * 1000))
      FROM (
        SELECT o.expires_at FROM orders AS o WHERE o.state = 'HELD' AND o.expires_at < expired_before
        ORDER BY o.expires_at LIMIT 1000
      ) AS d
      HAVING count(*) > 0)
    UNION ALL
    -- The lowest id is the oldest, but for transactions that were open at one time.
    SELECT 'OUTBOX_LATE', 'events', 'holdfast status', (
      SELECT jsonb_build_object('events', count(*), 'oldest_at', min(d.at),
        'late_ms', round(extract(epoch FROM looked_at - min(d.at)) * 1000))
      FROM (SELECT x.at FROM outbox AS x WHERE x.published_at IS NULL ORDER BY x.id LIMIT 1000) AS d
      HAVING min(d.at) < looked_at - outbox_late_ms * interval '1 millisecond')
  LOOP
    IF finding.facts IS NOT NULL THEN
      news := news + alert_raise(finding.kind, finding.subject, NULL, finding.facts, finding.command)::int;
    ELSE
      gone := gone + alert_clear(finding.kind, finding.subject, 'system', 'its cause is gone')::int;
    END IF;
  END LOOP;

  RETURN QUERY SELECT news, gone, (SELECT coalesce(jsonb_object_agg(c.kind, c.open), '{}') FROM alerts_count() AS c);
END $$;
