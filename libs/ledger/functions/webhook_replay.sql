-- Sends events again in their order, as if they never were sent; what is due is tried at once.
--   of_event      this one; null: all that are FAILED, up to 10,000
--   failed_since  and were written then or later
--   by_whom, by_request   what the change is kept with; the same request again sends nothing and is told the same
-- outcome: DONE, with how many; NOT_FOUND: there is no such endpoint; REUSED: the request was about something else.
CREATE OR REPLACE FUNCTION ledger.webhook_replay(
  of_endpoint text, of_event text, failed_since timestamptz, by_whom text, by_request text
) RETURNS TABLE (outcome text, replayed int)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  which CONSTANT text := of_endpoint || coalesce(' event ' || of_event, ' failed since ' || webhook_time(failed_since));
  of_store text;
  known text;
  again int;
BEGIN
  -- Whoever notes how an attempt ended holds the endpoint, too.
  SELECT e.store_id INTO of_store FROM webhook_endpoints AS e WHERE e.endpoint_id = of_endpoint FOR NO KEY UPDATE;
  known := control_known('WEBHOOK_REPLAY', 'STORE', of_store, '', by_whom, by_request, which);
  IF known = 'KNOWN' THEN
    RETURN QUERY SELECT 'DONE', c.answer::int FROM control_changes AS c
    WHERE c.what = 'WEBHOOK_REPLAY' AND c.request_id = by_request;
    RETURN;
  ELSIF known IS NOT NULL OR of_store IS NULL THEN
    RETURN QUERY SELECT CASE WHEN known IS NULL THEN 'NOT_FOUND' ELSE 'REUSED' END, 0;
    RETURN;
  END IF;
  UPDATE webhook_deliveries AS d SET state = 'DUE', attempts = 0, next_attempt_at = clock()
  WHERE d.sequence IN (
    SELECT f.sequence FROM webhook_deliveries AS f
    WHERE f.endpoint_id = of_endpoint AND CASE WHEN of_event IS NULL
      THEN f.state = 'FAILED' AND f.created_at >= failed_since ELSE f.event_id = of_event END
    ORDER BY f.sequence LIMIT 10000);
  GET DIAGNOSTICS again = ROW_COUNT;
  PERFORM control_note('WEBHOOK_REPLAY', 'STORE', of_store, '', format('%s, %s sent again', which, again), '', by_whom,
    clock(), by_request, to_jsonb(again));
  RETURN QUERY SELECT 'DONE', again;
END $$;
