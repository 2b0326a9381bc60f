-- What was answered to requests, the newest 200. Read in the snapshot of whoever calls it.
--   of_request  their request id
--   ids         the orders or entries that they are about
-- Returns rows as orders_story: ASKED, as access_event makes it.
CREATE OR REPLACE FUNCTION ledger.access_story(of_request text, ids uuid[])
RETURNS TABLE (at timestamptz, order_id uuid, what text, facts jsonb, place int)
LANGUAGE sql STABLE
AS $$
  SELECT e.* FROM ledger.access_records AS a CROSS JOIN LATERAL ledger.access_event(a) AS e
  WHERE a.request_id = of_request AND a.order_id = ANY (ids) ORDER BY a.at DESC LIMIT 200
$$;
REVOKE EXECUTE ON FUNCTION ledger.access_story FROM holdfast_runtime;
