-- Admits a batch of claims: the one place that says yes and no. One transaction, one round trip.
--   sku_ids                    every sku that is asked for, once, ascending by its bytes
--   pair_skus, pair_attendees  every pair of sku (index into sku_ids, from 1) and attendee, once, ascending
--   order_ids … request_ids    every order, once, ascending by its id
--   claim_orders … line_counts the claims in the order of their arrival:
--     claim_orders             index of the order; the same order may be claimed more than once
--     lines_hashes             SHA-256 of the claim's lines; the same id with another hash is another order
--     not_afters               the instant after which the claim has no effect any more; null: none
--     records                  whether a refusal leaves a row
--     line_counts              how many of the lines are the claim's
--     on_sold_outs             what becomes of the claim when too few are free: REFUSE, JOIN_WAITLIST, or null: what the
--                              sku says. A claim for several skus is refused
--     staffs                   null: a person's own; else {by}, staff who book it, and {reason}, why it passes over what one
--                              person may have; such a claim does not wait. Absent: all null
--   line_pairs, line_quantities  the lines of all claims one after the other: index of the pair, units; within a claim
--                              the pairs ascend, so that lines of one sku are neighbours
-- Returns one row a claim, in their order. outcome:
--   ORDER              the order as it is today: born now, or known by its id; detail.order_id is its id, when it is the
--                      offer of an entry that is known by the id
--   WAITLISTED         detail is the entry as it is today (entry_word): born now, known by its id, or the user's at the sku
--   REFUSED            detail is the refusal; recorded: it has a row, from now or earlier
--   REQUEST_ID_REUSED  the id is known with other lines
--   SKU_NOT_FOUND      detail.sku_id is unknown or another store's; leaves no row
--   CURRENCY_MIXED     detail.sku_id has another currency than the first line; leaves no row
--   TOO_LATE           it is past not_after; leaves no row
-- amount_minor in minor units of currency; unit_prices of the lines in their order, joined by commas.
-- Raises invalid_parameter_value for a batch that is not well formed, and serialization_failure when the same id was
-- written meanwhile for other skus: nothing has happened then, and the next try knows the order.
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
-- One plan, made of index probes: a plan made while the tables are empty would scan them for ever.
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  decided_at timestamptz;
  -- By sku: units free as the batch goes on and before it, units sold by it, terms, and the no when none is free.
  stores text[]; remaining int[]; before int[]; others_have boolean[]; prices bigint[]; currencies text[];
  limits int[]; maxima int[]; ttls int[]; payables boolean[]; bars jsonb[]; bar_verdicts int[];
  capacities int[]; sold_out_terms text[];
  selling int[] := array_fill(0, ARRAY[cardinality(sku_ids)]);
  shortages jsonb[] := array_fill(NULL::jsonb, ARRAY[cardinality(sku_ids)]);
  -- By pair: units of the attendee before the batch (null: no row) and from it, and the order that took them last.
  owned int[];
  taken int[] := array_fill(0, ARRAY[cardinality(pair_skus)]);
  takers int[] := array_fill(NULL::int, ARRAY[cardinality(pair_skus)]);
  -- What people have beyond one sku (limits_open); null: nothing here has such a limit. The refusal by it in hand.
  figures jsonb; beyond jsonb;
  -- By order: what is known of it, then what was decided; the claim that decided it now; limits passed over for it.
  states text[] := array_fill(NULL::text, ARRAY[cardinality(order_ids)]);
  deciders int[] := array_fill(NULL::int, ARRAY[cardinality(order_ids)]);
  versions int[] := deciders; hashes bytea[] := states::bytea[]; refusals jsonb[] := states::jsonb[];
  amounts bigint[] := deciders; order_currencies text[] := states; price_lists text[] := states;
  births timestamptz[] := states::timestamptz[]; expiries timestamptz[] := births; channels text[] := states;
  passed jsonb[] := refusals;
  -- By claim and by line: what is answered, and the order that the line belongs to, if it is written.
  outcomes text[] := array_fill(NULL::text, ARRAY[cardinality(claim_orders)]);
  details jsonb[] := array_fill(NULL::jsonb, ARRAY[cardinality(claim_orders)]);
  line_orders int[] := array_fill(NULL::int, ARRAY[cardinality(line_pairs)]);
  -- Claims that wait from now on: claim, order, sku, first line, lines, units. By sku, whether one of them does: what is
  -- left then is not for those who come later, before the head of the line was asked.
  joiners int[] := '{}'; joined_orders int[] := '{}'; joined_skus int[] := '{}'; joined_firsts int[] := '{}';
  joined_lines jsonb[] := '{}'; joined_units int[] := '{}';
  kept boolean[] := array_fill(false, ARRAY[cardinality(sku_ids)]);
  -- The order, sku, pair, units and line in hand, and what the loop adds up.
  o int; k int; p int; q int; n int; first_line int; next_line int := 1; last_k int; last_p int;
  wanted int; amount bigint; ttl int; payable boolean; price_list text; verdict int; worst int; culprit int;
  known record; answer jsonb; written int; forced boolean;
BEGIN
  PERFORM claims_validate(sku_ids, pair_skus, pair_attendees, order_ids, store_ids, user_ids, request_ids,
    claim_orders, lines_hashes, not_afters, records, line_counts, line_pairs, line_quantities, on_sold_outs, staffs);

  -- 1. Lock: from here on nobody else moves a unit of these skus or changes their terms.
  PERFORM FROM stock WHERE sku_id = ANY (sku_ids) ORDER BY sku_id FOR NO KEY UPDATE;
  GET DIAGNOSTICS n = ROW_COUNT;
  figures := limits_open(sku_ids, pair_skus, pair_attendees, store_ids, user_ids);
  decided_at := clock();

  -- 2. Read, each statement with a snapshot of its own, younger than the locks.
  SELECT * INTO stores, remaining, others_have, prices, currencies, limits, maxima, ttls, payables, bars, written,
    bar_verdicts, capacities, sold_out_terms
  FROM claims_read(sku_ids, decided_at);
  IF written <> n THEN
    RAISE serialization_failure USING MESSAGE = 'claims_admit: a sku was born after the locks were taken';
  END IF;
  before := remaining;

  FOR known IN
    SELECT u.i, orders.*, (
      SELECT string_agg(l.unit_price_minor::text, ',' ORDER BY l.sku_id, l.attendee_id)
      FROM order_lines AS l WHERE l.order_id = u.order_id
    ) AS price_list
    FROM unnest(order_ids) WITH ORDINALITY AS u (order_id, i) JOIN orders ON orders.order_id = u.order_id
  LOOP
    o := known.i; states[o] := known.state; versions[o] := known.version; hashes[o] := known.lines_hash;
    refusals[o] := known.refusal; amounts[o] := known.amount_minor; order_currencies[o] := known.currency;
    births[o] := known.created_at; expiries[o] := known.expires_at; price_lists[o] := known.price_list;
    channels[o] := known.channel;
  END LOOP;

  -- Only where somebody ever waited.
  IF EXISTS (SELECT FROM waitlist_entries) THEN
    FOR known IN SELECT * FROM entries_known(order_ids) LOOP
      o := known.place; states[o] := coalesce(known.state, 'WAITLISTED'); versions[o] := known.version;
      hashes[o] := known.lines_hash; refusals[o] := known.word; amounts[o] := known.amount_minor;
      order_currencies[o] := known.currency; births[o] := known.created_at; expiries[o] := known.expires_at;
      price_lists[o] := known.price_list; channels[o] := known.channel;
    END LOOP;
  END IF;

  SELECT array_agg(t.units) INTO owned
  FROM (
    SELECT a.units FROM unnest(pair_skus, pair_attendees) WITH ORDINALITY AS u (k, attendee_id, i)
    LEFT JOIN attendee_units AS a ON a.sku_id = sku_ids[u.k] AND a.attendee_id = u.attendee_id
    ORDER BY u.i
  ) AS t;

  -- 3. Decide, first come, first served.
  FOR i IN 1 .. cardinality(claim_orders) LOOP
    o := claim_orders[i];
    first_line := next_line;
    next_line := first_line + line_counts[i];
    IF states[o] IS NOT NULL THEN
      outcomes[i] := CASE WHEN hashes[o] <> lines_hashes[i] THEN 'REQUEST_ID_REUSED'
        WHEN states[o] IN ('REFUSED', 'WAITLISTED') THEN states[o] ELSE 'ORDER' END;
      CONTINUE;
    ELSIF not_afters[i] < decided_at THEN
      outcomes[i] := 'TOO_LATE';
      CONTINUE;
    END IF;

    -- Of all lines the lowest verdict counts: 1 no such sku, 2 other currency, 3 not yet on sale, 4 not any more,
    -- 5 paused, 6 more than an order may take, 7 more than an attendee may have, 8 too few free, 9 yes.
    forced := coalesce(staffs[i] ? 'reason', false); beyond := NULL; worst := 9; last_k := 0; last_p := 0; amount := 0;
    ttl := 2147483647; payable := false; price_list := NULL;
    FOR line IN first_line .. next_line - 1 LOOP
      p := line_pairs[line]; k := pair_skus[p]; q := line_quantities[line];
      IF p <= last_p THEN
        RAISE invalid_parameter_value USING MESSAGE = 'claims_admit: the pairs of a claim''s lines ascend';
      END IF;
      wanted := CASE WHEN k = last_k THEN wanted + q ELSE q END;
      verdict := CASE
        WHEN stores[k] IS DISTINCT FROM store_ids[o] THEN 1
        WHEN currencies[k] <> currencies[pair_skus[line_pairs[first_line]]] THEN 2
        WHEN bars[k] IS NOT NULL THEN bar_verdicts[k]
        WHEN wanted > maxima[k] THEN 6
        WHEN coalesce(owned[p], 0) + taken[p] + q > limits[k] AND NOT forced THEN 7
        WHEN wanted > remaining[k] OR kept[k] THEN 8
        ELSE 9 END;
      IF verdict < worst THEN
        worst := verdict; culprit := p;
      END IF;
      last_k := k; last_p := p;
      amount := amount + q * prices[k]; ttl := least(ttl, ttls[k]); payable := payable OR payables[k];
      price_list := concat_ws(',', price_list, prices[k]);
    END LOOP;

    IF worst >= 8 AND figures IS NOT NULL THEN
      answer := limits_spend(figures, store_ids[o], user_ids[o], order_ids[o], payable,
        ARRAY(SELECT sku_ids[pair_skus[l.p]] FROM unnest(line_pairs[first_line : next_line - 1]) AS l (p)),
        ARRAY(SELECT pair_attendees[l.p] FROM unnest(line_pairs[first_line : next_line - 1]) AS l (p)),
        line_quantities[first_line : next_line - 1], forced);
      beyond := CASE WHEN answer ? 'reason' THEN answer END;
      worst := CASE WHEN beyond IS NULL THEN worst ELSE 7 END;
      passed[o] := CASE WHEN worst = 9 THEN answer -> 'passed over' END;
      figures := CASE WHEN worst = 9 THEN answer - 'passed over' ELSE figures END;
    END IF;
    IF worst = 9 THEN
      outcomes[i] := 'ORDER';
      IF payable THEN
        states[o] := 'HELD'; expiries[o] := decided_at + ttl * interval '1 second';
      ELSE
        states[o] := 'CONFIRMED';
      END IF;
      -- An array element is computed first and then put in its place: in one step the whole array would be copied.
      FOR line IN first_line .. next_line - 1 LOOP
        p := line_pairs[line]; k := pair_skus[p]; q := line_quantities[line];
        IF forced AND coalesce(owned[p], 0) + taken[p] + q > limits[k] THEN
          passed[o] := coalesce(passed[o], '[]') || jsonb_build_object('scope', 'SKU', 'sku_id', sku_ids[k], 'limit', limits[k]);
        END IF;
        n := remaining[k] - q; remaining[k] := n;
        n := taken[p] + q; taken[p] := n; takers[p] := o;
        IF NOT payable THEN
          n := selling[k] + q; selling[k] := n;
        END IF;
      END LOOP;
    ELSE
      k := pair_skus[culprit];
      -- Who wants more than there will ever be is refused.
      IF worst = 8 AND coalesce(on_sold_outs[i], sold_out_terms[k]) = 'JOIN_WAITLIST' AND NOT forced AND wanted <= capacities[k]
        AND pair_skus[line_pairs[first_line]] = pair_skus[line_pairs[next_line - 1]] THEN
        kept[k] := true; others_have[k] := others_have[k] OR remaining[k] > 0;
        outcomes[i] := 'WAITLISTED'; states[o] := 'WAITLISTED'; hashes[o] := lines_hashes[i];
        joiners := joiners || i; joined_orders := joined_orders || o; joined_skus := joined_skus || k;
        joined_firsts := joined_firsts || first_line; joined_units := joined_units || wanted;
        joined_lines := joined_lines || (
          SELECT jsonb_agg(jsonb_build_object('attendee_id', pair_attendees[l.p], 'quantity', l.q) ORDER BY l.p)
          FROM unnest(line_pairs[first_line : next_line - 1], line_quantities[first_line : next_line - 1]) AS l (p, q));
        CONTINUE;
      END IF;
      IF worst = 8 AND (remaining[k] = 0 OR kept[k]) AND shortages[k] IS NULL THEN
        shortages[k] := shortage(sku_ids[k], others_have[k], (
          SELECT min(expiries[l.o]) FROM unnest(line_orders, line_pairs) AS l (o, p)
          WHERE l.o IS NOT NULL AND pair_skus[l.p] = k));
      END IF;
      answer := CASE
        WHEN beyond IS NOT NULL THEN beyond
        WHEN worst <= 2 THEN jsonb_build_object('sku_id', sku_ids[k])
        WHEN worst <= 5 THEN bars[k]
        WHEN worst = 6 THEN jsonb_build_object('reason', 'MAX_PER_ORDER', 'sku_id', sku_ids[k], 'limit', maxima[k])
        WHEN worst = 7 AND user_ids[takers[culprit]] = user_ids[o] THEN limit_refusal(sku_ids[k],
          coalesce(owned[culprit], 0) + taken[culprit], limits[k], user_ids[o], pair_attendees[culprit],
          order_ids[takers[culprit]], states[takers[culprit]])
        WHEN worst = 7 THEN limit_refusal(sku_ids[k], coalesce(owned[culprit], 0) + taken[culprit], limits[k],
          user_ids[o], pair_attendees[culprit])
        WHEN remaining[k] > 0 AND NOT kept[k] THEN
          jsonb_build_object('reason', 'NOT_ENOUGH', 'sku_id', sku_ids[k], 'free', remaining[k])
        ELSE shortages[k] END;
      outcomes[i] := CASE worst WHEN 1 THEN 'SKU_NOT_FOUND' WHEN 2 THEN 'CURRENCY_MIXED' ELSE 'REFUSED' END;
      details[i] := answer;
      -- Before its opening a sale refuses nobody for good: the same id works when it opens.
      CONTINUE WHEN worst <= 3 OR NOT records[i];
      states[o] := 'REFUSED'; refusals[o] := answer; amount := 0;
    END IF;
    FOR line IN first_line .. next_line - 1 LOOP
      line_orders[line] := o;
    END LOOP;
    deciders[o] := i; hashes[o] := lines_hashes[i]; amounts[o] := amount; price_lists[o] := price_list;
    order_currencies[o] := currencies[pair_skus[line_pairs[first_line]]];
  END LOOP;

  -- 4. Write.
  IF joiners <> '{}' THEN
    FOR known IN
      SELECT joiners[w.n] AS i, joined_orders[w.n] AS o, joined_skus[w.n] AS k, joined_firsts[w.n] AS first_line, w.entry
      FROM waiters_join(joiners, joined_orders, joined_skus, joined_lines, joined_units, order_ids, store_ids, sku_ids,
        user_ids, request_ids, lines_hashes, decided_at) WITH ORDINALITY AS w (entry, n)
    LOOP
      o := known.o;
      refusals[o] := coalesce(known.entry, jsonb_build_object('reason', 'WAITLIST_FULL', 'sku_id', sku_ids[known.k]));
      CONTINUE WHEN known.entry IS NOT NULL;
      states[o] := CASE WHEN records[known.i] THEN 'REFUSED' END;
      CONTINUE WHEN NOT records[known.i];
      deciders[o] := known.i; amounts[o] := 0; order_currencies[o] := currencies[known.k];
      FOR line IN known.first_line .. known.first_line + line_counts[known.i] - 1 LOOP
        line_orders[line] := o;
      END LOOP;
    END LOOP;
  END IF;

  PERFORM claims_write(deciders, order_ids, store_ids, user_ids, request_ids, hashes, states, refusals, amounts,
    order_currencies, expiries, line_orders, line_pairs, line_quantities, pair_skus, pair_attendees, sku_ids, prices,
    remaining <> before, decided_at);
  IF remaining <> before THEN
    PERFORM attendees_give(sku_ids, pair_skus, pair_attendees, taken, owned, figures IS NOT NULL);
    PERFORM stock_take(sku_ids, before, remaining, selling);
  END IF;
  PERFORM staff_note(order_ids, deciders, joiners, joined_orders, staffs, passed, decided_at) WHERE staffs IS NOT NULL;

  -- What was left goes to the head of the line, or stays reserved for it.
  PERFORM waiters_promote(sku_ids, decided_at) WHERE joiners <> '{}';

  RETURN QUERY SELECT CASE WHEN t.outcome = 'WAITLISTED' AND refusals[t.o] ? 'reason' THEN 'REFUSED' ELSE t.outcome END,
    coalesce(t.detail, refusals[t.o]), states[t.o] IS NOT NULL, states[t.o],
    coalesce(versions[t.o], 1), amounts[t.o], order_currencies[t.o], coalesce(births[t.o], decided_at), expiries[t.o],
    price_lists[t.o],
    coalesce(channels[t.o], CASE WHEN staffs[deciders[t.o]] IS NULL THEN 'APP' ELSE 'STAFF' END)
  FROM unnest(outcomes, details, claim_orders) AS t (outcome, detail, o);
END $$;
