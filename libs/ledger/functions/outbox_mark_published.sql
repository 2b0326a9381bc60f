-- Notes that changes were published, and, where any store has an endpoint, that webhooks of them are to be written. Returns
-- the ids that were not noted before.
--   ids  of outbox rows
CREATE OR REPLACE FUNCTION ledger.outbox_mark_published(ids bigint[]) RETURNS bigint[]
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
  marked bigint[];
BEGIN
  WITH noted AS (
    UPDATE outbox AS x SET published_at = clock(), webhooks_due = EXISTS (SELECT FROM webhook_endpoints)
    WHERE published_at IS NULL AND id = ANY (ids) RETURNING x.id
  )
  SELECT coalesce(array_agg(n.id), '{}') INTO marked FROM noted AS n;
  RETURN marked;
END $$;
