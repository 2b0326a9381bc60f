-- Clears one alert by an operator's hand, and writes down who did it and why. The same request again changes nothing.
--   alert_id          the alert
--   by_whom, why      the operator and the reason
--   request           the id of the request
-- Returns one row: outcome, and the alert as it is now (a row of alerts). outcome:
--   CLEARED    by this call
--   UNCHANGED  it was cleared already, by this request or otherwise
--   REUSED     the request did something else
--   NOT_FOUND  there is no such alert
-- Raises serialization_failure when the request was used meanwhile: nothing has happened, and the next try knows it.
CREATE OR REPLACE FUNCTION ledger.alert_clear_by_id(alert_id bigint, by_whom text, why text, request text)
RETURNS TABLE (outcome text, alert_row json)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
  known alerts%ROWTYPE;
  at timestamptz;
  result text;
BEGIN
  SELECT * INTO known FROM alerts AS a WHERE a.id = alert_id FOR NO KEY UPDATE;
  at := clock();
  result := CASE
    WHEN known.id IS NULL THEN 'NOT_FOUND'
    WHEN (known.cleared_request_id, known.cleared_by, known.cleared_reason) = (request, by_whom, why) THEN 'UNCHANGED'
    WHEN EXISTS (SELECT FROM control_changes AS c WHERE c.what = 'ALERT' AND c.request_id = request) THEN 'REUSED'
    WHEN known.cleared_at IS NOT NULL THEN 'UNCHANGED'
    ELSE 'CLEARED' END;
  IF result = 'CLEARED' THEN
    INSERT INTO control_changes (what, scope, scope_id, was, became, reason, changed_by, changed_at, request_id)
    VALUES ('ALERT', 'ALL', '', format('alert %s, %s of %s: open', known.id, known.kind, known.subject), 'cleared',
      why, by_whom, at, request)
    ON CONFLICT (what, request_id) DO NOTHING;
    IF NOT FOUND THEN
      RAISE serialization_failure USING MESSAGE = 'alert_clear_by_id: the request was used meanwhile';
    END IF;
    UPDATE alerts AS a SET cleared_at = at, cleared_by = by_whom, cleared_reason = why, cleared_request_id = request
    WHERE a.id = alert_id;
  END IF;
  RETURN QUERY SELECT result, (
    SELECT row_to_json(a) FROM alerts AS a WHERE a.id = alert_id AND result <> 'REUSED');
END $$;
