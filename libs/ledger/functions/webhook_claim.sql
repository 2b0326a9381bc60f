-- Gives endpoints whose next event is due to one sender, each with that event, for the time of a lease.
--   at_most          endpoints
--   at_most_failing  of them those whose last attempt failed: the dead must not take the room of the living
--   lease_ms         how long nobody else gets them
-- secrets are the one to sign with, and the one before while it holds.
CREATE OR REPLACE FUNCTION ledger.webhook_claim(at_most int, at_most_failing int, lease_ms int)
RETURNS TABLE (
  endpoint_id text, lease bigint, url text, secrets text[], sequence bigint, event_id text, event_type text, payload text,
  attempts int, failing boolean
)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  at CONSTANT timestamptz := clock();
  locked text[];
BEGIN
  SELECT array_agg(c.endpoint_id) INTO locked FROM (
    SELECT e.endpoint_id FROM webhook_endpoints AS e
    WHERE e.state = 'ACTIVE' AND coalesce(e.leased_until <= at, true) AND e.endpoint_id IN (
      SELECT b.endpoint_id FROM (
        SELECT a.endpoint_id, a.failing_since, h.next_attempt_at,
          row_number() OVER (PARTITION BY a.failing_since IS NULL ORDER BY h.next_attempt_at) AS place
        FROM webhook_endpoints AS a CROSS JOIN LATERAL (
          SELECT d.next_attempt_at FROM webhook_deliveries AS d
          WHERE d.endpoint_id = a.endpoint_id AND d.state = 'DUE' ORDER BY d.sequence LIMIT 1
        ) AS h
        WHERE a.state = 'ACTIVE' AND coalesce(a.leased_until <= at, true) AND h.next_attempt_at <= at
      ) AS b
      WHERE b.failing_since IS NULL OR b.place <= at_most_failing
      ORDER BY b.failing_since IS NOT NULL, b.next_attempt_at LIMIT at_most)
    ORDER BY e.endpoint_id FOR NO KEY UPDATE SKIP LOCKED
  ) AS c;
  -- Another may have sent what was seen above: the next event is read again, now that the endpoints are locked.
  RETURN QUERY
  WITH heads AS (
    SELECT h.* FROM unnest(locked) AS l (id) CROSS JOIN LATERAL (
      SELECT d.* FROM webhook_deliveries AS d
      WHERE d.endpoint_id = l.id AND d.state = 'DUE' ORDER BY d.sequence LIMIT 1
    ) AS h
    WHERE h.next_attempt_at <= at
  ), leased AS (
    UPDATE webhook_endpoints AS e SET lease = e.lease + 1, leased_until = clock() + lease_ms * interval '1 millisecond'
    FROM heads AS h WHERE e.endpoint_id = h.endpoint_id
    RETURNING e.endpoint_id, e.lease, e.url, e.failing_since
  )
  SELECT e.endpoint_id, e.lease, e.url,
    CASE WHEN s.previous_until > at THEN ARRAY[s.secret, s.previous] ELSE ARRAY[s.secret] END,
    h.sequence, h.event_id, h.event_type, h.payload, h.attempts, e.failing_since IS NOT NULL
  FROM leased AS e
  JOIN heads AS h ON h.endpoint_id = e.endpoint_id
  JOIN webhook_secrets AS s ON s.endpoint_id = e.endpoint_id;
END $$;
