-- What a claim is told of an entry of a waitlist: entry_id, sku_id, state, people_ahead while it waits, and the
-- order_id of its offer.
CREATE OR REPLACE FUNCTION ledger.entry_word(e ledger.waitlist_entries) RETURNS jsonb
LANGUAGE sql STABLE
RETURN CASE WHEN e.entry_id IS NOT NULL THEN jsonb_strip_nulls(jsonb_build_object(
  'entry_id', e.entry_id, 'sku_id', e.sku_id, 'state', e.state, 'order_id', e.order_id,
  'people_ahead', CASE WHEN e.state = 'WAITING' THEN ledger.waitlist_ahead(e.sku_id, e.place) END)) END;
