-- The switches, the narrowest scopes last. One that has expired is AUTO.
--   all_of_them  false: only those that have a word of their own now. True: also those that are AUTO, for their versions,
--                the 1000 that were set last
-- store_id is that of the scope, null of ALL.
CREATE OR REPLACE FUNCTION ledger.switches_read(all_of_them boolean) RETURNS TABLE (
  switch text, scope text, scope_id text, store_id text, setting text, version bigint, reason text, set_by text,
  set_at timestamptz, expires_at timestamptz
)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = ledger, pg_temp
-- Its skus are looked up one by one, also by a plan that was made while there were none.
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
  SELECT s.switch, s.scope, s.scope_id, CASE s.scope WHEN 'STORE' THEN s.scope_id ELSE sku.store_id END,
    s.word, s.version, s.reason, s.set_by, s.set_at, s.expires_at
  FROM (
    (SELECT *, setting AS word FROM switches WHERE setting <> 'AUTO' AND (expires_at IS NULL OR expires_at > clock()))
    UNION ALL
    (SELECT *, 'AUTO' FROM switches WHERE all_of_them AND (setting = 'AUTO' OR expires_at <= clock())
      ORDER BY set_at DESC LIMIT 1000)
  ) AS s
  LEFT JOIN skus AS sku ON s.scope = 'SKU' AND sku.sku_id = s.scope_id
  ORDER BY s.switch DESC, array_position(ARRAY['ALL', 'STORE', 'SKU'], s.scope::text), s.scope_id;
$$;
