-- Notes that changes were published, and what of them is to be sent to endpoints of stores. Returns the ids that were not
-- noted before.
--   ids  of outbox rows
CREATE OR REPLACE FUNCTION ledger.outbox_mark_published(ids bigint[]) RETURNS bigint[]
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
  marked bigint[];
  news ledger.outbox[];
BEGIN
  WITH noted AS (
    UPDATE outbox AS x SET published_at = clock() WHERE published_at IS NULL AND id = ANY (ids) RETURNING x.id, x AS whole
  )
  SELECT coalesce(array_agg(n.id), '{}'), array_agg(n.whole) INTO marked, news FROM noted AS n;
  IF marked <> '{}' AND EXISTS (SELECT FROM webhook_endpoints) THEN
    PERFORM webhook_deliveries_add(news);
  END IF;
  RETURN marked;
END $$;
