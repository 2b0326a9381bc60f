-- What operators changed, newest first.
--   of_scope, of_id  only of this scope; null: of all
--   before           only those with a smaller id
--   at_most          rows
-- store_id is that of the scope, null of ALL.
CREATE OR REPLACE FUNCTION ledger.control_changes_list(of_scope text, of_id text, before bigint, at_most int)
RETURNS TABLE (
  id bigint, what text, scope text, scope_id text, store_id text, was text, became text, reason text, changed_by text,
  changed_at timestamptz, version bigint, expires_at timestamptz
)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = ledger, pg_temp
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
  SELECT c.id, c.what, c.scope, c.scope_id, CASE c.scope WHEN 'STORE' THEN c.scope_id ELSE sku.store_id END,
    c.was, c.became, c.reason, c.changed_by, c.changed_at, c.version, c.expires_at
  FROM (
    (SELECT * FROM control_changes AS c WHERE of_scope IS NULL AND c.id < before ORDER BY c.id DESC LIMIT at_most)
    UNION ALL
    (SELECT * FROM control_changes AS c WHERE c.scope = of_scope AND c.scope_id = of_id AND c.id < before
      ORDER BY c.id DESC LIMIT at_most)
  ) AS c
  LEFT JOIN skus AS sku ON c.scope = 'SKU' AND sku.sku_id = c.scope_id
  ORDER BY c.id DESC;
$$;
