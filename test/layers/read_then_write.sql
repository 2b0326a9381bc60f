-- A rival of claims_admit that makes the mistake which admission is there to prevent: it reads how many units are free,
-- decides in peace, and writes the result later. Parameters and result as of claims_admit; it knows no terms and limits.
CREATE OR REPLACE FUNCTION ledger.claims_admit(
  sku_ids text[], pair_skus int[], pair_attendees text[],
  order_ids uuid[], store_ids text[], user_ids text[], request_ids text[],
  claim_orders int[], lines_hashes bytea[], not_afters timestamptz[], records boolean[], line_counts int[],
  line_pairs int[], line_quantities int[], on_sold_outs text[], staffs jsonb[] DEFAULT NULL
) RETURNS TABLE (
  outcome text, detail jsonb, recorded boolean, state text, version int, amount_minor bigint, currency text,
  created_at timestamptz, expires_at timestamptz, unit_prices text, channel text
)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
AS $$
#variable_conflict use_column
DECLARE
  remaining int[];
  line int := 1;
  last_line int;
  id uuid;
  until_when CONSTANT timestamptz := clock() + interval '15 minutes';
BEGIN
  SELECT array_agg(s.free ORDER BY s.sku_id) INTO remaining FROM stock AS s WHERE s.sku_id = ANY (sku_ids);
  PERFORM pg_sleep(0.02);
  FOR i IN 1 .. cardinality(claim_orders) LOOP
    id := order_ids[claim_orders[i]];
    last_line := line + line_counts[i] - 1;
    IF NOT EXISTS (SELECT FROM orders AS o WHERE o.order_id = id) AND (
      SELECT bool_and(remaining[pair_skus[line_pairs[l]]] >= line_quantities[l]) FROM generate_series(line, last_line) AS l
    ) THEN
      INSERT INTO orders (order_id, store_id, user_id, request_id, lines_hash, state, version, amount_minor, currency,
        created_at, expires_at, updated_at)
      VALUES (id, store_ids[claim_orders[i]], user_ids[claim_orders[i]], request_ids[claim_orders[i]], lines_hashes[i],
        'HELD', 1, 0, 'EUR', clock(), until_when, clock());
      INSERT INTO order_lines (order_id, sku_id, attendee_id, quantity, unit_price_minor, held_until, created_at)
      SELECT id, sku_ids[pair_skus[line_pairs[l]]], pair_attendees[line_pairs[l]], line_quantities[l], 0, until_when, clock()
      FROM generate_series(line, last_line) AS l;
      FOR l IN line .. last_line LOOP
        remaining[pair_skus[line_pairs[l]]] := remaining[pair_skus[line_pairs[l]]] - line_quantities[l];
      END LOOP;
    END IF;
    line := last_line + 1;
  END LOOP;
  UPDATE stock AS s SET free = t.free, held = s.capacity - t.free, version = s.version + 1
  FROM unnest(sku_ids, remaining) AS t (sku_id, free) WHERE s.sku_id = t.sku_id;
  RETURN QUERY SELECT CASE WHEN o.order_id IS NULL THEN 'REFUSED' ELSE 'ORDER' END,
    jsonb_build_object('reason', 'ALL_HELD', 'sku_id', sku_ids[1]), o.order_id IS NOT NULL, o.state, o.version,
    o.amount_minor, o.currency, o.created_at, o.expires_at, repeat('0,', 99) || '0', 'APP'
  FROM unnest(claim_orders) WITH ORDINALITY AS u (n, i) LEFT JOIN orders AS o ON o.order_id = order_ids[u.n] ORDER BY u.i;
END $$;
