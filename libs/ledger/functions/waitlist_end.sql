-- Ends the wait at sales that are over: nobody is offered anything any more, and what was reserved is free.
--   batch_size  entries at most
-- Returns how many entries ended.
CREATE OR REPLACE FUNCTION ledger.waitlist_end(batch_size int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  id text;
  at timestamptz;
  places bigint[];
  ended int := 0;
BEGIN
  FOR id IN
    SELECT s.sku_id FROM stock AS s WHERE s.waiting > 0 AND sale_is_over(s.sku_id, clock()) ORDER BY s.sku_id
  LOOP
    EXIT WHEN ended >= batch_size;
    PERFORM FROM stock WHERE sku_id = id FOR NO KEY UPDATE;
    at := clock();
    -- Its terms may have changed while the lock was waited for.
    CONTINUE WHEN NOT sale_is_over(id, at);
    WITH over AS (
      SELECT entry_id FROM waitlist_entries
      WHERE sku_id = id AND state = 'WAITING' ORDER BY place LIMIT batch_size - ended
    ), gone AS (
      UPDATE waitlist_entries AS e SET state = 'ENDED', version = e.version + 1, updated_at = at, barred = NULL,
        barred_attendee_id = NULL
      FROM over WHERE e.entry_id = over.entry_id
      RETURNING e.entry_id, e.version, e.state, e.place
    ), told AS (
      INSERT INTO outbox (kind, order_id, order_version, state, at)
      SELECT 'WAITLIST', g.entry_id, g.version, g.state, at FROM gone AS g ORDER BY g.place
    )
    SELECT array_agg(g.place) INTO places FROM gone AS g;
    PERFORM waitlist_count(id, coalesce(places, '{}'), -1);
    ended := ended + coalesce(cardinality(places), 0);
    PERFORM waiters_promote(ARRAY[id], at);
  END LOOP;
  RETURN ended;
END $$;
