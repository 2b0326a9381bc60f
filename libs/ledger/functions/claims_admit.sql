-- Admits a batch of claims: the one place that says yes and no. One transaction, one round trip.
--   sku_ids                     every sku that is asked for, once, ascending by its bytes
--   pair_skus, pair_attendees   every pair of sku (index into sku_ids, from 1) and attendee, once, ascending
--   order_ids … records         one entry a claim, in the order of arrival:
--     lines_hashes              SHA-256 of the claim's lines; the same id with another hash is another order
--     not_afters                the instant after which the claim has no effect any more; null: none
--     records                   whether a refusal leaves a row
--   line_counts                 one entry a claim: how many of the lines are its own
--   line_pairs, line_quantities the lines of all claims one after the other: index of the pair, units;
--                               within a claim the pairs ascend, so that lines of one sku are neighbours
-- Returns one row a claim, in their order. outcome:
--   ORDER              the order as it is today: born now, or known by its id
--   REFUSED            detail is the refusal; recorded: it left a row, now or earlier
--   REQUEST_ID_REUSED  the id is known with other lines
--   SKU_NOT_FOUND      detail.sku_id is unknown or another store's; leaves no row
--   CURRENCY_MIXED     detail.sku_id has another currency than the lines before it; leaves no row
--   TOO_LATE           it is past not_after; leaves no row
-- unit_prices: of the lines in their order, joined by commas. amount_minor in minor units of currency.
-- Raises invalid_parameter_value for a batch that is not well formed, serialization_failure when the same id was
-- written meanwhile with other skus: then nothing has happened, and the next try knows the order.
CREATE OR REPLACE FUNCTION ledger.claims_admit(
  sku_ids text[], pair_skus int[], pair_attendees text[],
  order_ids uuid[], store_ids text[], user_ids text[], request_ids text[], lines_hashes bytea[],
  not_afters timestamptz[], records boolean[],
  line_counts int[], line_pairs int[], line_quantities int[]
) RETURNS TABLE (
  outcome text, detail jsonb, recorded boolean, state text, version int, amount_minor bigint, currency text,
  created_at timestamptz, expires_at timestamptz, unit_prices text
)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
-- One plan, made of index probes: a plan made while the tables are empty would scan them for ever.
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  claims CONSTANT int := cardinality(order_ids);
  locked int;
  written int;
  clock timestamptz;
  -- By sku: its counters, which run along with the decisions, and its terms.
  stores text[]; free int[]; held int[]; reserved int[]; holding int[]; selling int[];
  prices bigint[]; currencies text[]; limits int[]; maxima int[]; ttls int[]; paid boolean[];
  bars jsonb[]; bar_verdicts int[]; releases timestamptz[]; released boolean[];
  -- By pair: units of the attendee before and from this batch, and who took the last of them.
  units int[]; taken int[]; takers int[];
  -- By claim: the first of the batch with its id; there the order is kept, if it is known or born.
  firsts int[]; states text[]; versions int[]; hashes bytea[]; refusals jsonb[]; amounts bigint[];
  order_currencies text[]; births timestamptz[]; expiries timestamptz[]; price_lists text[];
  fresh boolean[] := array_fill(false, ARRAY[claims]);
  outcomes text[] := array_fill(NULL::text, ARRAY[claims]);
  details jsonb[] := array_fill(NULL::jsonb, ARRAY[claims]);
  line_claims int[] := array_fill(NULL::int, ARRAY[cardinality(line_pairs)]);
  -- The claim and the line in hand.
  f int; k int; p int; q int; line int; next_line int := 1; last_k int; last_p int;
  wanted int; amount bigint; ttl int; to_pay boolean; price_list text; verdict int; reason int; culprit int;
  refusal jsonb; n int; at timestamptz;
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE invalid_transaction_state USING MESSAGE = 'claims_admit: needs READ COMMITTED, an older snapshot than its locks would oversell';
  END IF;
  PERFORM claims_validate(sku_ids, pair_skus, pair_attendees, order_ids, store_ids, user_ids, request_ids,
    lines_hashes, not_afters, records, line_counts, line_pairs, line_quantities);

  -- 1. Lock. From here on nobody else moves a unit of these skus or changes their terms.
  PERFORM FROM stock WHERE sku_id = ANY (sku_ids) ORDER BY sku_id FOR NO KEY UPDATE;
  GET DIAGNOSTICS locked = ROW_COUNT;
  clock := ledger.clock();

  -- 2. Read, each statement with a snapshot of its own, younger than the locks.
  SELECT array_agg(t.store_id), array_agg(t.free), array_agg(t.held), array_agg(t.reserved), array_agg(t.price_minor),
    array_agg(t.currency), array_agg(t.per_user_limit), array_agg(t.max_per_order), array_agg(t.hold_ttl_seconds),
    array_agg(t.payment_required), array_agg(t.bar),
    array_agg(CASE WHEN t.bar ? 'opens_at' THEN 3 WHEN t.bar ->> 'reason' = 'NOT_ON_SALE' THEN 4 ELSE 5 END),
    locked - count(t.store_id)
  INTO stores, free, held, reserved, prices, currencies, limits, maxima, ttls, paid, bars, bar_verdicts, locked
  FROM (
    SELECT s.store_id, s.free, s.held, s.reserved, sku.price_minor, sku.currency, sku.per_user_limit,
      sku.max_per_order, sku.hold_ttl_seconds, sku.payment_required, sale_bar(sku, clock) AS bar
    FROM unnest(sku_ids) WITH ORDINALITY AS u (sku_id, i)
    LEFT JOIN stock AS s ON s.sku_id = u.sku_id
    LEFT JOIN skus AS sku ON sku.sku_id = u.sku_id
    ORDER BY u.i
  ) AS t;
  IF locked <> 0 THEN
    RAISE serialization_failure USING MESSAGE = 'claims_admit: a sku was born after the locks were taken';
  END IF;

  SELECT array_agg(t.first), array_agg(t.state), array_agg(t.version), array_agg(t.lines_hash), array_agg(t.refusal),
    array_agg(t.amount_minor), array_agg(t.currency), array_agg(t.created_at), array_agg(t.expires_at), array_agg(t.price_list)
  INTO firsts, states, versions, hashes, refusals, amounts, order_currencies, births, expiries, price_lists
  FROM (
    SELECT min(u.i) OVER (PARTITION BY u.order_id) AS first, o.*, CASE WHEN o.order_id IS NOT NULL THEN (
        SELECT string_agg(l.unit_price_minor::text, ',' ORDER BY l.sku_id, l.attendee_id)
        FROM order_lines AS l WHERE l.order_id = o.order_id
      ) END AS price_list
    FROM unnest(order_ids) WITH ORDINALITY AS u (order_id, i)
    LEFT JOIN orders AS o ON o.order_id = u.order_id
    ORDER BY u.i
  ) AS t;

  SELECT array_agg(t.units) INTO units FROM (
    SELECT coalesce(a.units, 0) AS units
    FROM unnest(pair_skus, pair_attendees) WITH ORDINALITY AS u (k, attendee_id, i)
    LEFT JOIN attendee_units AS a ON a.sku_id = sku_ids[u.k] AND a.attendee_id = u.attendee_id
    ORDER BY u.i
  ) AS t;

  holding := array_fill(0, ARRAY[cardinality(sku_ids)]);
  selling := holding;
  releases := array_fill(NULL::timestamptz, ARRAY[cardinality(sku_ids)]);
  released := array_fill(false, ARRAY[cardinality(sku_ids)]);
  taken := array_fill(0, ARRAY[cardinality(pair_skus)]);
  takers := array_fill(NULL::int, ARRAY[cardinality(pair_skus)]);

  -- 3. Decide, first come, first served.
  FOR i IN 1 .. claims LOOP
    f := firsts[i];
    line := next_line;
    next_line := line + line_counts[i];
    IF states[f] IS NOT NULL THEN
      outcomes[i] := CASE WHEN hashes[f] <> lines_hashes[i] THEN 'REQUEST_ID_REUSED'
        WHEN states[f] = 'REFUSED' THEN 'REFUSED' ELSE 'ORDER' END;
      CONTINUE;
    ELSIF not_afters[i] < clock THEN
      outcomes[i] := 'TOO_LATE';
      CONTINUE;
    END IF;

    -- The lowest verdict over the lines counts; 9 is a yes.
    verdict := 9; last_k := 0; last_p := 0; amount := 0; ttl := 2147483647; to_pay := false; price_list := NULL;
    FOR l IN line .. next_line - 1 LOOP
      p := line_pairs[l]; k := pair_skus[p]; q := line_quantities[l];
      IF p <= last_p THEN
        RAISE invalid_parameter_value USING MESSAGE = 'claims_admit: the lines of an order are distinct and ascend';
      END IF;
      wanted := CASE WHEN k = last_k THEN wanted + q ELSE q END;
      reason := CASE
        WHEN stores[k] IS DISTINCT FROM store_ids[i] THEN 1
        WHEN currencies[k] <> currencies[pair_skus[line_pairs[line]]] THEN 2
        WHEN bars[k] IS NOT NULL THEN bar_verdicts[k]
        WHEN wanted > maxima[k] THEN 6
        WHEN units[p] + taken[p] + q > limits[k] THEN 7
        WHEN wanted > free[k] THEN 8
        ELSE 9 END;
      IF reason < verdict THEN
        verdict := reason; culprit := p;
      END IF;
      last_k := k; last_p := p;
      amount := amount + q * prices[k]; ttl := least(ttl, ttls[k]); to_pay := to_pay OR paid[k];
      price_list := concat_ws(',', price_list, prices[k]);
    END LOOP;

    k := pair_skus[culprit];
    IF verdict <= 2 THEN
      outcomes[i] := CASE verdict WHEN 1 THEN 'SKU_NOT_FOUND' ELSE 'CURRENCY_MIXED' END;
      details[i] := jsonb_build_object('sku_id', sku_ids[k]);
      CONTINUE;
    ELSIF verdict < 9 THEN
      IF verdict = 8 AND free[k] = 0 AND NOT released[k] THEN
        at := least(releases[k], (SELECT min(h.held_until) FROM order_lines AS h WHERE h.sku_id = sku_ids[k] AND h.held_until IS NOT NULL));
        releases[k] := at;
        released[k] := true;
      END IF;
      refusal := CASE
        WHEN verdict <= 5 THEN bars[k]
        WHEN verdict = 6 THEN jsonb_build_object('reason', 'MAX_PER_ORDER', 'sku_id', sku_ids[k], 'limit', maxima[k])
        WHEN verdict = 7 THEN jsonb_strip_nulls(jsonb_build_object('reason', 'LIMIT_REACHED', 'sku_id', sku_ids[k], 'limit', limits[k],
          'own_order_id', CASE WHEN user_ids[takers[culprit]] = user_ids[i] THEN order_ids[takers[culprit]]
            ELSE own_order(user_ids[i], sku_ids[k], pair_attendees[culprit]) END))
        WHEN free[k] > 0 THEN jsonb_build_object('reason', 'NOT_ENOUGH', 'sku_id', sku_ids[k], 'free', free[k])
        WHEN held[k] + holding[k] + reserved[k] > 0 THEN jsonb_strip_nulls(jsonb_build_object(
          'reason', 'ALL_HELD', 'sku_id', sku_ids[k], 'next_release_at', releases[k]))
        ELSE jsonb_build_object('reason', 'SOLD_OUT', 'sku_id', sku_ids[k]) END;
      outcomes[i] := 'REFUSED';
      details[i] := refusal;
      CONTINUE WHEN verdict = 3 OR NOT records[i];
      states[f] := 'REFUSED'; refusals[f] := refusal; amount := 0;
    ELSE
      outcomes[i] := 'ORDER';
      states[f] := CASE WHEN to_pay THEN 'HELD' ELSE 'CONFIRMED' END;
      IF to_pay THEN
        expiries[f] := clock + ttl * interval '1 second';
      END IF;
      FOR l IN line .. next_line - 1 LOOP
        p := line_pairs[l]; k := pair_skus[p]; q := line_quantities[l];
        n := free[k] - q; free[k] := n;
        n := taken[p] + q; taken[p] := n; takers[p] := i;
        IF to_pay THEN
          n := holding[k] + q; holding[k] := n;
          at := least(releases[k], expiries[f]); releases[k] := at;
        ELSE
          n := selling[k] + q; selling[k] := n;
        END IF;
      END LOOP;
    END IF;
    FOR l IN line .. next_line - 1 LOOP
      line_claims[l] := f;
    END LOOP;
    fresh[f] := true; versions[f] := 1; hashes[f] := lines_hashes[i]; amounts[f] := amount; births[f] := clock;
    order_currencies[f] := currencies[pair_skus[line_pairs[line]]]; price_lists[f] := price_list;
  END LOOP;

  -- 4. Write.
  IF true = ANY (fresh) THEN
    INSERT INTO orders (order_id, store_id, user_id, request_id, lines_hash, state, version, refusal, amount_minor,
      currency, created_at, expires_at, updated_at)
    SELECT t.order_id, t.store_id, t.user_id, t.request_id, t.lines_hash, t.state, 1, t.refusal, t.amount,
      t.currency, clock, t.expires_at, clock
    FROM unnest(fresh, order_ids, store_ids, user_ids, request_ids, hashes, states, refusals, amounts, order_currencies, expiries)
      AS t (fresh, order_id, store_id, user_id, request_id, lines_hash, state, refusal, amount, currency, expires_at)
    WHERE t.fresh ORDER BY t.order_id
    ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS written = ROW_COUNT;
    IF written <> cardinality(array_positions(fresh, true)) THEN
      RAISE serialization_failure USING MESSAGE = 'claims_admit: an order was written meanwhile with other skus';
    END IF;
    INSERT INTO order_lines (order_id, sku_id, attendee_id, quantity, unit_price_minor, held_until, created_at)
    SELECT order_ids[t.i], sku_ids[pair_skus[t.p]], pair_attendees[t.p], t.q, prices[pair_skus[t.p]], expiries[t.i], clock
    FROM unnest(line_claims, line_pairs, line_quantities) AS t (i, p, q) WHERE t.i IS NOT NULL;
  END IF;

  IF EXISTS (SELECT FROM unnest(taken) AS t WHERE t > 0) THEN
    INSERT INTO movements (order_id, sku_id, order_version, delta_free, delta_reserved, delta_held, delta_sold, reason, at)
    SELECT order_ids[t.i], sku_ids[t.k], 1, -t.q, 0, CASE WHEN t.state = 'HELD' THEN t.q ELSE 0 END,
      CASE WHEN t.state = 'HELD' THEN 0 ELSE t.q END, 'ADMIT', clock
    FROM (
      SELECT u.i, pair_skus[u.p] AS k, states[u.i] AS state, sum(u.q)::int AS q
      FROM unnest(line_claims, line_pairs, line_quantities) AS u (i, p, q)
      WHERE states[u.i] <> 'REFUSED' GROUP BY 1, 2, 3
    ) AS t;
    INSERT INTO attendee_units AS a (sku_id, attendee_id, units)
    SELECT sku_ids[t.k], t.attendee_id, t.units
    FROM unnest(pair_skus, pair_attendees, taken) AS t (k, attendee_id, units) WHERE t.units > 0
    ON CONFLICT (sku_id, attendee_id) DO UPDATE SET units = a.units + excluded.units;
    INSERT INTO outbox (order_id, order_version, state, at)
    SELECT t.order_id, 1, t.state, clock FROM unnest(fresh, order_ids, states) AS t (fresh, order_id, state)
    WHERE t.fresh AND t.state <> 'REFUSED';
    UPDATE stock AS s SET free = s.free - t.holding - t.selling, held = s.held + t.holding, sold = s.sold + t.selling,
      version = s.version + 1
    FROM unnest(sku_ids, holding, selling) AS t (sku_id, holding, selling)
    WHERE s.sku_id = t.sku_id AND t.holding + t.selling > 0;
    GET DIAGNOSTICS written = ROW_COUNT;
    IF written <> (SELECT count(*) FROM unnest(holding, selling) AS t (holding, selling) WHERE t.holding + t.selling > 0) THEN
      RAISE data_corrupted USING MESSAGE = 'claims_admit: the stock did not change as decided';
    END IF;
  END IF;

  RETURN QUERY SELECT t.outcome, coalesce(t.detail, refusals[t.f]), states[t.f] IS NOT NULL, states[t.f], versions[t.f],
    amounts[t.f], order_currencies[t.f], births[t.f], expiries[t.f], price_lists[t.f]
  FROM unnest(outcomes, details, firsts) AS t (outcome, detail, f);
END $$;
