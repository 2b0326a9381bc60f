-- Admits the claim of a letter once more, by an operator's hand, under the rules of claims_admit: its REFUSED row makes
-- room for what is decided now, with the next version, so that whoever knows the old one sees that this is newer.
--   letter_id              the letter
--   by_whom, why, request  the operator, the reason, and the id of the request
--   sku_ids … staffs   its claim, as a batch of one for claims_admit, without a not_after; it does not wait
-- Returns one row: outcome, detail of it, the letter (a row of dead_letters without its message) and the order (a row of
-- order_rows) as they are now. outcome:
--   REPLAYED      the order has a row that says what was decided: HELD, CONFIRMED, or REFUSED with today's reason
--   NOT_DECIDED   detail.outcome and what claims_admit says of it: it would leave no row, so that nothing was changed
--   ORDER_STATE   the order is neither unknown nor REFUSED as UNPROCESSABLE, or its request waits or was made an offer
--   or as dead_letter_bar says
-- Raises what claims_admit raises, and serialization_failure when the request was used meanwhile: nothing has happened.
-- Locks the letter, then the order, then the skus. Who waits for the lock of a row that is gone then finds none, and looks
-- again: payment_confirm, orders_transition.
CREATE OR REPLACE FUNCTION ledger.dead_letter_replay(
  letter_id bigint, by_whom text, why text, request text,
  sku_ids text[], pair_skus int[], pair_attendees text[],
  order_ids uuid[], store_ids text[], user_ids text[], request_ids text[],
  claim_orders int[], lines_hashes bytea[], not_afters timestamptz[], records boolean[], line_counts int[],
  line_pairs int[], line_quantities int[], on_sold_outs text[], staffs jsonb[] DEFAULT NULL
) RETURNS TABLE (outcome text, detail jsonb, letter_row json, order_row json)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
  of_order CONSTANT uuid := order_ids[1];
  letter dead_letters%ROWTYPE;
  old orders%ROWTYPE;
  decided record;
  undecided jsonb;
  result text;
BEGIN
  SELECT * INTO letter FROM dead_letters AS d WHERE d.id = letter_id FOR NO KEY UPDATE;
  result := dead_letter_bar(letter, 'REPLAYED', by_whom, why, request);
  IF letter.order_id <> of_order THEN
    RAISE invalid_parameter_value USING MESSAGE = 'dead_letter_replay: the letter is about another order';
  END IF;
  IF result IS NULL THEN
    SELECT * INTO old FROM orders AS o WHERE o.order_id = of_order FOR UPDATE;
    IF old.order_id IS NOT NULL AND (old.refusal ->> 'reason') IS DISTINCT FROM 'UNPROCESSABLE'
      OR EXISTS (SELECT FROM waitlist_entries AS e WHERE e.entry_id = of_order) THEN
      result := 'ORDER_STATE';
    END IF;
  END IF;

  IF result IS NULL THEN
    BEGIN
      DELETE FROM order_lines AS l WHERE l.order_id = of_order;
      DELETE FROM orders AS o WHERE o.order_id = of_order;
      SELECT * INTO STRICT decided FROM claims_admit(sku_ids, pair_skus, pair_attendees, order_ids, store_ids,
        user_ids, request_ids, claim_orders, lines_hashes, not_afters, records, line_counts, line_pairs,
        line_quantities, on_sold_outs, staffs);
      IF NOT decided.recorded THEN
        RAISE SQLSTATE 'HF001' USING MESSAGE = 'dead_letter_replay: it leaves no row';
      END IF;
      IF old.version IS NOT NULL THEN
        UPDATE orders AS o SET version = old.version + 1 WHERE o.order_id = of_order;
        UPDATE movements AS m SET order_version = old.version + 1 WHERE m.order_id = of_order AND m.order_version = 1;
        UPDATE order_changes AS c SET order_version = old.version + 1
        WHERE c.order_id = of_order AND c.order_version = 1 AND c.verb = 'BOOK';
        UPDATE outbox AS x SET order_version = old.version + 1
        WHERE x.order_id = of_order AND x.kind = 'ORDER' AND x.order_version = 1;
      END IF;
      PERFORM dead_letter_resolve(letter_id, 'REPLAYED',
        format('order %s %s', of_order, CASE WHEN old.version IS NULL THEN 'unknown' ELSE 'REFUSED UNPROCESSABLE' END),
        concat_ws(' ', decided.state, decided.detail ->> 'reason'), by_whom, why, request);
      result := 'REPLAYED';
    EXCEPTION WHEN SQLSTATE 'HF001' THEN
      -- The row that was there is there again.
      result := 'NOT_DECIDED';
      undecided := jsonb_build_object('outcome', decided.outcome) || coalesce(decided.detail, '{}');
    END;
  END IF;

  RETURN QUERY SELECT result, undecided,
    (SELECT to_json(d) FROM dead_letters_list(true, letter_id + 1, 1) AS d WHERE d.id = letter_id),
    (SELECT row_to_json(o) FROM order_rows AS o WHERE o.order_id = of_order);
END $$;
