-- What operators changed about skus: everything within a time, at most 100 of a sku, and the last change before it, which
-- says what held when it began. Read in the snapshot of whoever calls it.
--   ids            the skus
--   since, until   the time
-- Returns rows as orders_story, of no order: CHANGED, with change, sku_id, was, became, by and reason.
CREATE OR REPLACE FUNCTION ledger.skus_story(ids text[], since timestamptz, until timestamptz)
RETURNS TABLE (at timestamptz, order_id uuid, what text, facts jsonb, place int)
LANGUAGE sql STABLE
AS $$
  SELECT c.changed_at, NULL::uuid, 'CHANGED', jsonb_build_object('change', c.what, 'sku_id', c.scope_id, 'was', c.was,
    'became', c.became, 'by', c.changed_by, 'reason', c.reason), 0
  FROM unnest(ids) AS u (sku_id) CROSS JOIN LATERAL (
    (SELECT * FROM ledger.control_changes AS c
      WHERE c.scope = 'SKU' AND c.scope_id = u.sku_id AND c.changed_at BETWEEN since AND until
      ORDER BY c.id DESC LIMIT 100)
    UNION ALL
    (SELECT * FROM ledger.control_changes AS c
      WHERE c.scope = 'SKU' AND c.scope_id = u.sku_id AND c.changed_at < since ORDER BY c.id DESC LIMIT 1)
  ) AS c
$$;
REVOKE EXECUTE ON FUNCTION ledger.skus_story FROM holdfast_runtime;
