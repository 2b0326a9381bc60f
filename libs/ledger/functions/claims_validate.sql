-- Refuses a batch of claims that is not well formed, whoever made it. Parameters as for claims_admit.
-- Raises invalid_parameter_value with the first rule that is broken.
CREATE OR REPLACE FUNCTION ledger.claims_validate(
  sku_ids text[], pair_skus int[], pair_attendees text[],
  order_ids uuid[], store_ids text[], user_ids text[], request_ids text[], lines_hashes bytea[],
  not_afters timestamptz[], records boolean[],
  line_counts int[], line_pairs int[], line_quantities int[]
) RETURNS void
LANGUAGE plpgsql STABLE
AS $$
DECLARE
  claims CONSTANT int := cardinality(order_ids);
  lines CONSTANT int := cardinality(line_pairs);
  broken text;
BEGIN
  broken := CASE
    WHEN (claims = ALL (ARRAY[cardinality(store_ids), cardinality(user_ids), cardinality(request_ids),
        cardinality(lines_hashes), cardinality(not_afters), cardinality(records), cardinality(line_counts)])) IS NOT TRUE
      OR (lines = cardinality(line_quantities)) IS NOT TRUE
      OR (cardinality(pair_skus) = cardinality(pair_attendees)) IS NOT TRUE
      OR sku_ids IS NULL
      THEN 'arrays that belong together have one length'
    WHEN num_nulls(array_position(sku_ids, NULL), array_position(pair_skus, NULL), array_position(pair_attendees, NULL),
        array_position(order_ids, NULL), array_position(store_ids, NULL), array_position(user_ids, NULL),
        array_position(request_ids, NULL), array_position(lines_hashes, NULL), array_position(records, NULL),
        array_position(line_counts, NULL), array_position(line_pairs, NULL), array_position(line_quantities, NULL)) < 12
      THEN 'nothing but not_after may be absent'
    WHEN EXISTS (SELECT FROM unnest(line_counts) AS c WHERE c NOT BETWEEN 1 AND 100)
      OR (SELECT sum(c) FROM unnest(line_counts) AS c) IS DISTINCT FROM lines
      THEN 'an order has 1 to 100 lines'
    -- A line of the order as it was sent has at most 1,000,000; up to 100 of them add up to one line here.
    WHEN EXISTS (SELECT FROM unnest(line_quantities) AS q WHERE q NOT BETWEEN 1 AND 100000000)
      THEN 'a quantity is 1 to 1000000'
    WHEN EXISTS (SELECT FROM unnest(line_pairs) AS p WHERE p NOT BETWEEN 1 AND cardinality(pair_skus))
      OR EXISTS (SELECT FROM unnest(pair_skus) AS k WHERE k NOT BETWEEN 1 AND cardinality(sku_ids))
      THEN 'an index points into its array'
    WHEN EXISTS (SELECT FROM (SELECT id COLLATE "C" <= lag(id) OVER () COLLATE "C" AS late FROM unnest(sku_ids) AS id) AS s WHERE late)
      OR EXISTS (SELECT FROM (
        SELECT (k, a COLLATE "C") <= (lag(k) OVER (), lag(a) OVER () COLLATE "C") AS late
        FROM unnest(pair_skus, pair_attendees) AS p (k, a)) AS p WHERE late)
      THEN 'skus and pairs of sku and attendee are distinct and ascend'
    WHEN array_to_string(sku_ids || store_ids || user_ids || request_ids || pair_attendees, E'\n') COLLATE "C" ~ '[^\n!-~]'
      OR EXISTS (SELECT FROM unnest(sku_ids || store_ids || user_ids || pair_attendees) AS id WHERE octet_length(id) NOT BETWEEN 1 AND 128)
      OR EXISTS (SELECT FROM unnest(request_ids) AS id WHERE octet_length(id) NOT BETWEEN 1 AND 255)
      THEN 'an id is 1 to 128 printable ASCII characters, a request id 1 to 255'
  END;
  IF broken IS NOT NULL THEN
    RAISE invalid_parameter_value USING MESSAGE = 'claims_admit: ' || broken;
  END IF;
END $$;
REVOKE EXECUTE ON FUNCTION ledger.claims_validate FROM holdfast_runtime;
