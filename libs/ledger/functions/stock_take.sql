-- Takes the units that a batch of orders was given. The caller, claims_admit, holds the stock's locks.
--   sku_ids       skus
--   was, is_now   units free of each before the batch and after it
--   selling       those of the difference that are sold at once; the others are held
-- Raises data_corrupted when the stock did not change as decided.
CREATE OR REPLACE FUNCTION ledger.stock_take(sku_ids text[], was int[], is_now int[], selling int[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  written int;
BEGIN
  UPDATE stock AS s SET free = s.free - t.taken, held = s.held + t.taken - t.sold, sold = s.sold + t.sold,
    version = s.version + 1
  FROM (
    SELECT u.sku_id, u.was - u.is_now AS taken, u.sold
    FROM unnest(sku_ids, was, is_now, selling) AS u (sku_id, was, is_now, sold)
  ) AS t
  WHERE s.sku_id = t.sku_id AND t.taken > 0;
  GET DIAGNOSTICS written = ROW_COUNT;
  IF written <> (SELECT count(*) FROM unnest(was, is_now) AS t (was, is_now) WHERE t.was <> t.is_now) THEN
    RAISE data_corrupted USING MESSAGE = 'claims_admit: the stock did not change as decided';
  END IF;
END $$;
REVOKE EXECUTE ON FUNCTION ledger.stock_take FROM holdfast_runtime;
