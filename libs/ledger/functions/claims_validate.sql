-- Refuses a batch of claims that is not well formed, whoever made it, and one under an isolation that sees too little. Parameters as for claims_admit.
-- Raises invalid_parameter_value with the first rule that is broken. That the pairs of a claim's lines ascend is seen
-- by claims_admit on its way.
CREATE OR REPLACE FUNCTION ledger.claims_validate(
  sku_ids text[], pair_skus int[], pair_attendees text[],
  order_ids uuid[], store_ids text[], user_ids text[], request_ids text[],
  claim_orders int[], lines_hashes bytea[], not_afters timestamptz[], records boolean[], line_counts int[],
  line_pairs int[], line_quantities int[], on_sold_outs text[], staffs jsonb[]
) RETURNS void
LANGUAGE plpgsql STABLE
AS $$
DECLARE
  ids CONSTANT text[] := sku_ids || pair_attendees || store_ids || user_ids;
  broken text;
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE invalid_transaction_state USING MESSAGE = 'claims_admit: under ' || current_setting('transaction_isolation')
      || ' its snapshot would be older than its locks';
  END IF;
  broken := CASE
    WHEN num_nulls(cardinality(sku_ids), cardinality(pair_skus), cardinality(pair_attendees), cardinality(order_ids),
        cardinality(store_ids), cardinality(user_ids), cardinality(request_ids), cardinality(claim_orders),
        cardinality(lines_hashes), cardinality(not_afters), cardinality(records), cardinality(line_counts),
        cardinality(line_pairs), cardinality(line_quantities), cardinality(on_sold_outs)) > 0
      OR num_nonnulls(array_position(sku_ids, NULL), array_position(pair_skus, NULL),
        array_position(pair_attendees, NULL), array_position(order_ids, NULL), array_position(store_ids, NULL),
        array_position(user_ids, NULL), array_position(request_ids, NULL), array_position(claim_orders, NULL),
        array_position(lines_hashes, NULL), array_position(records, NULL), array_position(line_counts, NULL),
        array_position(line_pairs, NULL), array_position(line_quantities, NULL)) > 0
      THEN 'nothing but a not_after or an on_sold_out may be absent'
    WHEN NOT cardinality(order_ids) = ALL (ARRAY[cardinality(store_ids), cardinality(user_ids),
        cardinality(request_ids)])
      OR NOT cardinality(claim_orders) = ALL (ARRAY[cardinality(lines_hashes), cardinality(not_afters),
        cardinality(records), cardinality(line_counts), cardinality(on_sold_outs)])
      OR cardinality(line_pairs) <> cardinality(line_quantities)
      OR cardinality(pair_skus) <> cardinality(pair_attendees)
      THEN 'arrays that belong together have one length'
    WHEN NOT array_remove(on_sold_outs, NULL) <@ ARRAY['REFUSE', 'JOIN_WAITLIST']
      THEN 'on_sold_out is REFUSE or JOIN_WAITLIST'
    WHEN staffs IS NOT NULL AND cardinality(staffs) <> cardinality(claim_orders) THEN 'there is one staff a claim, or none at all'
    WHEN EXISTS (SELECT FROM unnest(staffs) AS s WHERE s IS NOT NULL AND NOT (coalesce(s ->> 'by', '') COLLATE "C" ~ '^[!-~]{1,128}$'
        AND (NOT s ? 'reason' OR length(s ->> 'reason') BETWEEN 1 AND 500)))
      THEN 'staff have an id, and a reason of 1 to 500 characters if any'
    WHEN NOT (1 <= ALL (line_counts) AND 100 >= ALL (line_counts)) THEN 'an order has 1 to 100 lines'
    -- A line as it was sent has at most 1,000,000; up to 100 of them add up to one line here.
    WHEN NOT (1 <= ALL (line_quantities) AND 100000000 >= ALL (line_quantities)) THEN 'a quantity is 1 to 1000000'
    WHEN NOT (1 <= ALL (line_pairs) AND cardinality(pair_skus) >= ALL (line_pairs)
        AND 1 <= ALL (pair_skus) AND cardinality(sku_ids) >= ALL (pair_skus)
        AND 1 <= ALL (claim_orders) AND cardinality(order_ids) >= ALL (claim_orders))
      THEN 'an index points into its array'
    WHEN (SELECT coalesce(sum(c), 0) FROM unnest(line_counts) AS c) <> cardinality(line_pairs)
      THEN 'the lines are those of the claims'
    WHEN '' = ANY (ids || request_ids) OR array_to_string(ids || request_ids, '') COLLATE "C" ~ '[^!-~]'
      OR array_to_string(ids, ' ') COLLATE "C" ~ '[^ ]{129}'
      OR array_to_string(request_ids, ' ') COLLATE "C" ~ '[^ ]{255}[^ ]'
      THEN 'an id is 1 to 128 printable ASCII characters, a request id 1 to 255'
  END;
  FOR i IN 2 .. cardinality(sku_ids) LOOP
    IF sku_ids[i] COLLATE "C" <= sku_ids[i - 1] THEN
      broken := 'skus are distinct and ascend';
    END IF;
  END LOOP;
  FOR i IN 2 .. cardinality(order_ids) LOOP
    IF order_ids[i] <= order_ids[i - 1] THEN
      broken := 'orders are distinct and ascend';
    END IF;
  END LOOP;
  FOR i IN 2 .. cardinality(pair_skus) LOOP
    IF pair_skus[i] < pair_skus[i - 1]
      OR pair_skus[i] = pair_skus[i - 1] AND pair_attendees[i] COLLATE "C" <= pair_attendees[i - 1] THEN
      broken := 'pairs of sku and attendee are distinct and ascend';
    END IF;
  END LOOP;
  IF broken IS NOT NULL THEN
    RAISE invalid_parameter_value USING MESSAGE = 'claims_admit: ' || broken;
  END IF;
END $$;
REVOKE EXECUTE ON FUNCTION ledger.claims_validate FROM holdfast_runtime;
