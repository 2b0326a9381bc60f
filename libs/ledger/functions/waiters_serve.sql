-- Makes the orders of entries that were found to fit: HELD until the offer ends, or CONFIRMED where nothing is to be
-- paid and nobody to be asked. The caller, waiters_promote, has counted the units for the attendees.
--   served         the entries, of one sku
--   of_sku         the sku
--   from_reserved  units that are reserved: they go first, then free ones
--   at             when
CREATE OR REPLACE FUNCTION ledger.waiters_serve(
  served uuid[], of_sku text, from_reserved int, at timestamptz
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  terms skus%ROWTYPE;
  birth text;
  until timestamptz;
BEGIN
  SELECT * INTO STRICT terms FROM skus WHERE sku_id = of_sku;
  birth := CASE WHEN terms.payment_required OR terms.waitlist_accept = 'OFFER' THEN 'HELD' ELSE 'CONFIRMED' END;
  IF birth = 'HELD' THEN
    until := at + coalesce(terms.offer_ttl_seconds, terms.hold_ttl_seconds) * interval '1 second';
  END IF;

  UPDATE waitlist_entries AS e SET state = CASE birth WHEN 'HELD' THEN 'OFFERED' ELSE 'PROMOTED' END,
    version = e.version + 1, order_id = offer_order_id(e.entry_id), updated_at = at
  WHERE e.entry_id = ANY (served);
  PERFORM waitlist_count(of_sku, ARRAY(SELECT e.place FROM waitlist_entries AS e WHERE e.entry_id = ANY (served)), -1);

  INSERT INTO orders (order_id, store_id, user_id, request_id, lines_hash, state, version, amount_minor, currency,
    created_at, expires_at, updated_at, entry_id, code, channel)
  SELECT e.order_id, e.store_id, e.user_id, e.request_id, e.lines_hash, birth, 1, e.quantity * terms.price_minor,
    terms.currency, at, until, at, e.entry_id, CASE birth WHEN 'CONFIRMED' THEN fulfil_code() END,
    e.channel
  FROM waitlist_entries AS e WHERE e.entry_id = ANY (served);
  INSERT INTO order_lines (order_id, sku_id, attendee_id, quantity, unit_price_minor, held_until, created_at)
  SELECT e.order_id, of_sku, l.attendee_id, l.quantity, terms.price_minor, until, at
  FROM waitlist_entries AS e
  CROSS JOIN LATERAL jsonb_to_recordset(e.lines) AS l (attendee_id text, quantity int)
  WHERE e.entry_id = ANY (served);

  PERFORM units_move(array_agg(t.order_id), array_agg(1), array_agg(of_sku), array_agg(t.of_reserved - t.quantity),
    array_agg(-t.of_reserved), array_agg(CASE birth WHEN 'HELD' THEN t.quantity ELSE 0 END),
    array_agg(CASE birth WHEN 'HELD' THEN 0 ELSE t.quantity END), '{}', '{}', '{}', 'PROMOTE', at)
  FROM (
    SELECT e.order_id, e.quantity, greatest(0, least(e.quantity,
      from_reserved - sum(e.quantity) OVER (ORDER BY e.place) + e.quantity))::int AS of_reserved
    FROM waitlist_entries AS e WHERE e.entry_id = ANY (served)
  ) AS t;

  INSERT INTO outbox (kind, order_id, order_version, state, at)
  SELECT x.kind, x.id, x.version, x.state, at
  FROM waitlist_entries AS e
  CROSS JOIN LATERAL (VALUES
    ('ORDER', e.order_id, 1, birth), ('WAITLIST', e.entry_id, e.version, e.state)
  ) AS x (kind, id, version, state)
  WHERE e.entry_id = ANY (served) ORDER BY e.place, x.kind;
END $$;
REVOKE EXECUTE ON FUNCTION ledger.waiters_serve FROM holdfast_runtime;
