-- Lets claims wait that came when too few units were free. The caller, claims_admit, holds the stock's locks and knows
-- that the ids are neither orders nor entries.
--   joiners … quantities      the claims in the order of their arrival, each of one sku: index of the claim, of its order
--                             and of its sku, lines as they were sent, [{attendee_id, quantity}], and the sum of their units
--   order_ids … lines_hashes  as for claims_admit
--   at                       when
-- An entry is found by its user through an index also while the waitlist is empty or was a moment ago: without materialized
-- inner sides no plan made then compares every claim with everybody who waits.
-- Returns one row a claim, in their order:
--   entry   the entry as it is told (entry_word): the one that was born, or the one by which the user waits at the sku
--           already; null when the waitlist is full, or the user waits at ten skus of the store already
CREATE OR REPLACE FUNCTION ledger.waiters_join(
  joiners int[], joined_orders int[], joined_skus int[], lines jsonb[], quantities int[],
  order_ids uuid[], store_ids text[], sku_ids text[], user_ids text[], request_ids text[], lines_hashes bytea[],
  at timestamptz
) RETURNS TABLE (entry jsonb)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
SET enable_material = off
AS $$
#variable_conflict use_column
DECLARE
  per_user CONSTANT int := 10;
  joined record;
BEGIN
  FOR joined IN
    WITH asked AS MATERIALIZED (
      SELECT j.n, order_ids[j.o] AS entry_id, store_ids[j.o] AS store_id, sku_ids[j.k] AS sku_id,
        user_ids[j.o] AS user_id, request_ids[j.o] AS request_id, lines_hashes[j.i] AS hash, j.lines, j.quantity
      FROM unnest(joiners, joined_orders, joined_skus, lines, quantities)
        WITH ORDINALITY AS j (i, o, k, lines, quantity, n)
    ), fresh AS MATERIALIZED (
      SELECT f.*, row_number() OVER (PARTITION BY f.store_id, f.user_id ORDER BY f.n) AS of_user
      FROM (SELECT DISTINCT ON (a.sku_id, a.user_id) a.* FROM asked AS a ORDER BY a.sku_id, a.user_id, a.n) AS f
      WHERE NOT EXISTS (
        SELECT FROM waitlist_entries AS e
        WHERE e.user_id = f.user_id AND e.sku_id = f.sku_id AND e.state IN ('WAITING', 'OFFERED'))
    ), allowed AS MATERIALIZED (
      SELECT f.*, row_number() OVER (PARTITION BY f.sku_id ORDER BY f.n)::int AS of_sku
      FROM fresh AS f
      WHERE f.of_user + (
        SELECT count(*) FROM waitlist_entries AS e
        WHERE e.user_id = f.user_id AND e.store_id = f.store_id AND e.state IN ('WAITING', 'OFFERED')) <= per_user
    ), born AS (
      INSERT INTO waitlist_entries (entry_id, store_id, sku_id, user_id, request_id, lines_hash, lines, quantity, place,
        joined_behind, state, version, joined_at, updated_at)
      SELECT a.entry_id, a.store_id, a.sku_id, a.user_id, a.request_id, a.hash, a.lines, a.quantity,
        s.waitlist_tail + a.of_sku, s.waiting + a.of_sku - 1, 'WAITING', 1, at, at
      FROM allowed AS a JOIN stock AS s ON s.sku_id = a.sku_id JOIN skus AS sku ON sku.sku_id = a.sku_id
      WHERE s.waiting + a.of_sku <= sku.waitlist_max
      RETURNING entry_id, sku_id, place
    ), told AS (
      INSERT INTO outbox (kind, order_id, order_version, state, at)
      SELECT 'WAITLIST', b.entry_id, 1, 'WAITING', at FROM born AS b
    )
    SELECT b.sku_id, array_agg(b.place) AS places, max(b.place) AS tail FROM born AS b GROUP BY b.sku_id
  LOOP
    PERFORM waitlist_count(joined.sku_id, joined.places, 1);
    UPDATE stock SET waitlist_tail = joined.tail WHERE sku_id = joined.sku_id;
  END LOOP;

  -- Who joined now knows the place already.
  RETURN QUERY SELECT CASE WHEN e.entry_id = order_ids[a.o] THEN jsonb_build_object('entry_id', e.entry_id, 'sku_id',
    e.sku_id, 'state', e.state, 'people_ahead', e.joined_behind) ELSE entry_word(e) END
  FROM unnest(joined_orders, joined_skus) WITH ORDINALITY AS a (o, k, n)
  LEFT JOIN waitlist_entries AS e
    ON e.user_id = user_ids[a.o] AND e.sku_id = sku_ids[a.k] AND e.state IN ('WAITING', 'OFFERED')
  ORDER BY a.n;
END $$;
REVOKE EXECUTE ON FUNCTION ledger.waiters_join FROM holdfast_runtime;
