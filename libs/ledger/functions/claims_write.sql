-- Writes the orders that claims_admit decided, with their lines, movements and news. Its caller's settings hold here.
--   deciders … expiries   by order, as claims_admit has them: the claim that decided it now (null: none), and the order
--   line_orders … prices  the lines: the order that each belongs to, if it is written, and the rest as for claims_admit
--   moves                 whether units move
--   at                    when
-- Raises serialization_failure as claims_admit does.
CREATE OR REPLACE FUNCTION ledger.claims_write(
  deciders int[], order_ids uuid[], store_ids text[], user_ids text[], request_ids text[], hashes bytea[], states text[],
  refusals jsonb[], amounts bigint[], order_currencies text[], expiries timestamptz[],
  line_orders int[], line_pairs int[], line_quantities int[], pair_skus int[], pair_attendees text[], sku_ids text[],
  prices bigint[], moves boolean, at timestamptz
) RETURNS void
LANGUAGE plpgsql
AS $$
#variable_conflict use_column
BEGIN
  IF num_nonnulls(VARIADIC deciders) > 0 THEN
    BEGIN
      INSERT INTO orders (order_id, store_id, user_id, request_id, lines_hash, state, version, refusal, amount_minor,
        currency, created_at, expires_at, updated_at, code)
      SELECT t.order_id, t.store_id, t.user_id, t.request_id, t.hash, t.state, 1, t.refusal, t.amount,
        t.currency, at, t.expiry, at, CASE WHEN t.state = 'CONFIRMED' THEN fulfil_code() END
      FROM unnest(deciders, order_ids, store_ids, user_ids, request_ids, hashes, states, refusals, amounts,
        order_currencies, expiries)
        AS t (decider, order_id, store_id, user_id, request_id, hash, state, refusal, amount, currency, expiry)
      WHERE t.decider IS NOT NULL;
    EXCEPTION WHEN unique_violation THEN
      RAISE serialization_failure USING MESSAGE = 'claims_write: an order was written meanwhile for other skus, or the code is taken';
    END;
    INSERT INTO order_lines (order_id, sku_id, attendee_id, quantity, unit_price_minor, held_until, created_at)
    SELECT order_ids[l.o], sku_ids[pair_skus[l.p]], pair_attendees[l.p], l.q, prices[pair_skus[l.p]], expiries[l.o],
      at
    FROM unnest(line_orders, line_pairs, line_quantities) AS l (o, p, q) WHERE l.o IS NOT NULL;
  END IF;

  IF moves THEN
    INSERT INTO movements (order_id, sku_id, order_version, delta_free, delta_reserved, delta_held, delta_sold,
      reason, at)
    SELECT order_ids[m.o], sku_ids[m.k], 1, -m.units, 0, CASE WHEN m.state = 'HELD' THEN m.units ELSE 0 END,
      CASE WHEN m.state = 'HELD' THEN 0 ELSE m.units END, 'ADMIT', at
    FROM (
      SELECT l.o, pair_skus[l.p] AS k, states[l.o] AS state, sum(l.q)::int AS units
      FROM unnest(line_orders, line_pairs, line_quantities) AS l (o, p, q)
      WHERE states[l.o] <> 'REFUSED' GROUP BY 1, 2, 3
    ) AS m;
    INSERT INTO outbox (order_id, order_version, state, at)
    SELECT t.order_id, 1, t.state, at FROM unnest(deciders, order_ids, states) AS t (decider, order_id, state)
    WHERE t.decider IS NOT NULL AND t.state <> 'REFUSED';
  END IF;
END $$;
REVOKE EXECUTE ON FUNCTION ledger.claims_write FROM holdfast_runtime;
