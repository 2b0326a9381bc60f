-- What happened to entries of waitlists. Read in the snapshot of whoever calls it.
--   ids  the entries
-- Returns rows as orders_story, of the entry as if it were an order: WAITS, with version, sku_id, quantity, state, place,
-- offer_id (the order that it was offered, of an OFFERED one), barred and note (why, if it is over or passed over now).
CREATE OR REPLACE FUNCTION ledger.entries_story(ids uuid[])
RETURNS TABLE (at timestamptz, order_id uuid, what text, facts jsonb, place int)
LANGUAGE sql STABLE
AS $$
  SELECT x.at, x.order_id, 'WAITS', jsonb_build_object('version', x.order_version, 'state', x.state, 'sku_id', e.sku_id,
    'quantity', e.quantity, 'place', e.place, 'behind', CASE x.state WHEN 'WAITING' THEN e.joined_behind END,
    'offer_id', CASE WHEN x.state IN ('OFFERED', 'PROMOTED') THEN e.order_id END,
    'barred', CASE WHEN x.order_version = e.version THEN e.barred END,
    'note', CASE WHEN x.order_version = e.version THEN e.left_reason END), 2
  FROM ledger.outbox AS x
  JOIN ledger.waitlist_entries AS e ON e.entry_id = x.order_id
  WHERE x.order_id = ANY (ids) AND x.kind = 'WAITLIST'
$$;
REVOKE EXECUTE ON FUNCTION ledger.entries_story FROM holdfast_runtime;
