-- What the ledger knows for those who wait: one snapshot, one round trip.
--   sku_ids       skus to read
--   order_ids     orders to look for
--   pair_sku_ids, pair_attendee_ids, pair_user_ids   lines of claims: whose units to read, and who asks
-- Returns one row. What is unknown is left out.
--   now             the ledger's clock
--   skus            rows of sku_rows, with bar: why nobody can buy it now (sale_bar), and shortage: the refusal when no
--                   unit is free (shortage); both in the words of claims_admit
--   orders          rows of order_rows; of an id that is an entry of a waitlist, {order_id, is_entry} alone
--   units           {place, units, refusal} of lines whose attendee has units: the place in the arrays, from 1, and the
--                   no if the line wants too many besides (limit_refusal)
--   unmarked_until  until when tries may have begun that no mark knows of; null: there were none
CREATE OR REPLACE FUNCTION ledger.parked_read(
  sku_ids text[], order_ids uuid[], pair_sku_ids text[], pair_attendee_ids text[], pair_user_ids text[]
) RETURNS TABLE (now timestamptz, skus json, orders json, units json, unmarked_until timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  at CONSTANT timestamptz := clock();
BEGIN
  RETURN QUERY SELECT at, (
      SELECT coalesce(json_agg(s), '[]') FROM (
        SELECT r.*, sale_bar(sku, at) AS bar,
          CASE WHEN r.free = 0 THEN shortage(r.sku_id, r.held + r.reserved > r.overbooked, NULL) END AS shortage
        FROM sku_rows AS r JOIN skus AS sku ON sku.sku_id = r.sku_id
        WHERE r.sku_id = ANY (sku_ids)
      ) AS s
    ), (
      SELECT coalesce(json_agg(known.o), '[]') FROM (
        SELECT row_to_json(r) AS o FROM order_rows AS r WHERE r.order_id = ANY (order_ids)
        UNION ALL
        SELECT json_build_object('order_id', e.entry_id, 'is_entry', true)
        FROM waitlist_entries AS e WHERE e.entry_id = ANY (order_ids)
      ) AS known
    ), (
      SELECT coalesce(json_agg(json_build_object('place', p.place, 'units', a.units,
        'refusal', limit_refusal(p.sku_id, a.units, sku.per_user_limit, p.user_id, p.attendee_id))), '[]')
      FROM unnest(pair_sku_ids, pair_attendee_ids, pair_user_ids)
        WITH ORDINALITY AS p (sku_id, attendee_id, user_id, place)
      JOIN attendee_units AS a ON a.sku_id = p.sku_id AND a.attendee_id = p.attendee_id
      JOIN skus AS sku ON sku.sku_id = p.sku_id
      WHERE a.units > 0
    ), (
      SELECT u.until FROM unmarked AS u
    );
END $$;
