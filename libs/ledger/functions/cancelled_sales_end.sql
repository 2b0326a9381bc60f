-- Gives back what was bought of the sale that was cancelled first: its next orders in the order of their creation. Those
-- of which something else was bought, too, keep that. What is done is kept with the sale, so that whoever comes next goes
-- on there.
--   batch_size  orders at most
-- Returns one row: how many were cancelled, if only in part; freed, [{store_id, sku_id}] whose units came back; more, whether any order of
-- any such sale may be left.
-- Locks the sale, then orders, then skus. Nobody who holds one of the latter waits for a sale. No order comes to a
-- cancelled sale, but one may leave it by moving: that is seen under the orders' locks.
CREATE OR REPLACE FUNCTION ledger.cancelled_sales_end(batch_size int)
RETURNS TABLE (cancelled int, freed json, more boolean)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
SET enable_hashagg = off
AS $$
#variable_conflict use_column
DECLARE
  sale cancelled_sales%ROWTYPE;
  page uuid[];
  page_live uuid[];
  last_at timestamptz;
  mixed uuid[];
  ended uuid[] := '{}';
BEGIN
  SELECT * INTO sale FROM cancelled_sales WHERE done_at IS NULL ORDER BY cancelled_at, sku_id LIMIT 1
  FOR NO KEY UPDATE SKIP LOCKED;
  IF FOUND THEN
    SELECT coalesce(array_agg(p.order_id ORDER BY p.created_at, p.order_id), '{}'), max(p.created_at)
    INTO page, last_at
    FROM (
      SELECT l.created_at, l.order_id FROM order_lines AS l
      WHERE l.sku_id = sale.sku_id AND (l.created_at, l.order_id) > (sale.after_at, sale.after_id)
      GROUP BY l.created_at, l.order_id ORDER BY l.created_at, l.order_id LIMIT batch_size
    ) AS p;
    PERFORM FROM orders WHERE order_id = ANY (page) ORDER BY order_id FOR NO KEY UPDATE;
    page_live := ARRAY(
      SELECT o.order_id FROM orders AS o
      WHERE o.order_id = ANY (page) AND o.state IN ('HELD', 'CONFIRMED')
        AND EXISTS (SELECT FROM order_lines AS l WHERE l.order_id = o.order_id AND l.sku_id = sale.sku_id)
      ORDER BY o.order_id);
    PERFORM FROM stock WHERE sku_id = ANY (ARRAY(
      SELECT DISTINCT l.sku_id FROM order_lines AS l WHERE l.order_id = ANY (page_live)))
    ORDER BY sku_id FOR NO KEY UPDATE;
    mixed := ARRAY(
      SELECT o.order_id FROM orders AS o
      WHERE o.order_id = ANY (page_live) AND (o.expires_at > clock()) IS NOT FALSE
        AND EXISTS (SELECT FROM order_lines AS l WHERE l.order_id = o.order_id AND l.sku_id <> sale.sku_id));
    SELECT coalesce(array_agg(t.order_id), '{}') INTO ended
    FROM orders_transition('CANCEL', ARRAY(
      SELECT u.id FROM unnest(page_live) AS u (id) WHERE u.id <> ALL (mixed)), sale.reason) AS t WHERE t.changed;
    SELECT ended || coalesce(array_agg(m.id), '{}') INTO ended
    FROM unnest(mixed) AS m (id) CROSS JOIN LATERAL (
      SELECT array_agg(l.sku_id) AS skus, array_agg(l.attendee_id) AS attendees, array_agg(l.quantity) AS quantities
      FROM order_lines AS l WHERE l.order_id = m.id AND l.sku_id = sale.sku_id
    ) AS l
    CROSS JOIN LATERAL order_cancel_part(m.id, NULL, sale.reason, 'OPERATOR', (
        SELECT c.changed_by FROM control_changes AS c
        WHERE c.what = 'CANCEL' AND c.scope = 'SKU' AND c.scope_id = sale.sku_id ORDER BY c.id LIMIT 1
      ), l.skus, l.attendees, l.quantities, 'sale of ' || sale.sku_id) AS p
    WHERE p.outcome = 'CANCELLED';
    UPDATE cancelled_sales SET orders_cancelled = orders_cancelled + cardinality(ended),
      after_at = coalesce(last_at, after_at), after_id = coalesce(page[cardinality(page)], after_id),
      done_at = CASE WHEN cardinality(page) < batch_size THEN clock() END
    WHERE sku_id = sale.sku_id;
  END IF;
  RETURN QUERY SELECT cardinality(ended), (
      SELECT coalesce(json_agg(f), '[]') FROM (
        SELECT s.store_id, s.sku_id FROM stock AS s WHERE s.sku_id IN (
          SELECT l.sku_id FROM order_lines AS l WHERE l.order_id = ANY (ended)
          UNION SELECT sale.sku_id WHERE ended <> '{}')
      ) AS f
    ), EXISTS (SELECT FROM cancelled_sales WHERE done_at IS NULL);
END $$;
