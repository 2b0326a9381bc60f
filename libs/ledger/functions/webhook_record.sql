-- Notes how an attempt ended, and gives the endpoint back.
--   of_endpoint, of_lease, of_sequence   as webhook_claim gave them
--   outcome      DELIVERED; RETRY in next_in_ms; FAILED: not tried any more; GONE: the endpoint does not want any more
--   status, why  of the answer; null: there was none
--   disable_after_ms   an endpoint that failed for longer, or is gone, is DISABLED: an alert says so
-- Returns the endpoint's state; null when the lease is another's by now, and nothing was noted.
CREATE OR REPLACE FUNCTION ledger.webhook_record(
  of_endpoint text, of_lease bigint, of_sequence bigint, outcome text, status int, why text, next_in_ms bigint,
  disable_after_ms bigint
) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  at timestamptz;
  e webhook_endpoints;
BEGIN
  SELECT * INTO e FROM webhook_endpoints WHERE endpoint_id = of_endpoint AND lease = of_lease FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  at := clock();
  UPDATE webhook_deliveries AS d SET attempts = d.attempts + 1, last_attempt_at = at, last_status = status, last_error = why,
    state = CASE outcome WHEN 'DELIVERED' THEN 'DELIVERED' WHEN 'FAILED' THEN 'FAILED' ELSE 'DUE' END,
    next_attempt_at = CASE WHEN outcome IN ('RETRY', 'GONE') THEN at + next_in_ms * interval '1 millisecond' END
  WHERE d.sequence = of_sequence;
  IF outcome = 'DELIVERED' THEN
    e.failing_since := NULL;
  ELSE
    e.failing_since := coalesce(e.failing_since, at);
    IF e.state = 'ACTIVE' AND (outcome = 'GONE' OR at - e.failing_since >= disable_after_ms * interval '1 millisecond') THEN
      e.state := 'DISABLED';
      e.state_reason := CASE outcome WHEN 'GONE' THEN 'it answered 410 Gone' ELSE 'it failed for too long: ' || why END;
      PERFORM alert_raise('WEBHOOK_DISABLED', of_endpoint, NULL, jsonb_build_object('store_id', e.store_id,
        'failing_since', webhook_time(e.failing_since), 'reason', e.state_reason), 'holdfast webhook list --store ' || e.store_id);
    END IF;
  END IF;
  UPDATE webhook_endpoints SET leased_until = NULL, failing_since = e.failing_since, state = e.state,
    state_reason = e.state_reason
  WHERE endpoint_id = of_endpoint;
  RETURN e.state;
END $$;
