-- Puts many skus, each as sku_put does and in the order of their ids, so that two imports do not wait for each other in
-- a circle.
--   skus       as for sku_put    etags  of the same length; null: none
--   overwrites, rehearsed  as for sku_put
-- Returns one row a sku: its place in the array, from 1, and what sku_put returns.
CREATE OR REPLACE FUNCTION ledger.skus_import(
  skus jsonb[], etags bigint[], overwrites boolean DEFAULT false, rehearsed boolean DEFAULT false
) RETURNS TABLE (place bigint, outcome text, sku_row json)
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = ledger, pg_temp
AS $$
  SELECT s.place, p.outcome, p.sku_row
  FROM (
    SELECT * FROM unnest(skus, etags) WITH ORDINALITY AS u (sku, etag, place)
    ORDER BY u.sku ->> 'sku_id' COLLATE "C", u.place
  ) AS s
  CROSS JOIN LATERAL ledger.sku_put(s.sku, s.etag, overwrites, rehearsed) AS p;
$$;
