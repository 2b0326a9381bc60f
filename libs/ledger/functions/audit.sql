-- Recomputes what must hold, from one snapshot, and lists what does not.
--   at_most  rows
-- Returns one row a violation: what, the sku and the order it is about, and the figures. What is checked stands in
-- audit_skus, audit_orders and audit_orphans.
CREATE OR REPLACE FUNCTION ledger.audit(at_most int)
RETURNS TABLE (violation text, sku_id text, order_id uuid, detail jsonb)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = ledger, pg_temp
SET jit = off
AS $$
  SELECT * FROM ledger.audit_skus(ARRAY(SELECT s.sku_id FROM ledger.skus AS s UNION SELECT s.sku_id FROM ledger.stock AS s))
  UNION ALL
  SELECT * FROM ledger.audit_orders(ARRAY(SELECT o.order_id FROM ledger.orders AS o))
  UNION ALL
  SELECT * FROM ledger.audit_orphans('00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff')
  LIMIT at_most;
$$;
