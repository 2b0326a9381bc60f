-- Finds again what a plan would repair, and nothing else.
--   sku_ids       skus that it names
--   told_ids      orders whose event it would put into the outbox
--   orphan_ids    orders of movements that have no line
-- Returns rows as audit_skus does.
CREATE OR REPLACE FUNCTION ledger.reconcile_again(sku_ids text[], told_ids uuid[], orphan_ids uuid[])
RETURNS TABLE (violation text, sku_id text, order_id uuid, detail jsonb)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = ledger, pg_temp
AS $$
  SELECT f.* FROM ledger.audit_skus(sku_ids) AS f
  WHERE ledger.audit_remedy(f.violation) <> '' AND EXISTS (SELECT FROM ledger.stock AS s WHERE s.sku_id = f.sku_id)
  UNION ALL
  SELECT f.* FROM ledger.audit_orders(told_ids) AS f WHERE f.violation = 'EVENT_MISSING'
  UNION ALL
  SELECT f.* FROM unnest(orphan_ids) AS o (order_id)
  CROSS JOIN LATERAL ledger.audit_orphans(o.order_id, o.order_id) AS f WHERE f.violation = 'MOVEMENT_WITHOUT_LINE';
$$;
REVOKE EXECUTE ON FUNCTION ledger.reconcile_again FROM holdfast_runtime;
