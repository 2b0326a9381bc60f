-- Imports skus by an operator's hand: as skus_import, kept as one change, and without a second effect for a request that
-- is known.
--   skus, overwrites  as for skus_import; no etags, what was read is not compared
--   why, operator     what the change is kept with
--   request           the same request again is told what it was told
-- Returns one row a sku: its place in the array, from 1, what became of it in the words of sku_put, and the sku as it is
-- now (a row of sku_rows). When the request was about something else: one row, place 0, REQUEST_ID_REUSED.
CREATE OR REPLACE FUNCTION ledger.skus_import_once(
  skus jsonb[], overwrites boolean, why text, operator text, request text
) RETURNS TABLE (place bigint, outcome text, sku_row json)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  fingerprint CONSTANT text := md5(jsonb_build_array(skus, overwrites, why, operator)::text);
  known jsonb;
  outcomes text[];
  store CONSTANT text := (
    SELECT CASE WHEN count(DISTINCT s.sku ->> 'store_id') = 1 THEN min(s.sku ->> 'store_id') ELSE '' END
    FROM unnest(skus) AS s (sku));
BEGIN
  SELECT answer INTO known FROM control_changes WHERE what = 'IMPORT' AND request_id = request;
  IF known ->> 'fingerprint' <> fingerprint THEN
    RETURN QUERY SELECT 0::bigint, 'REQUEST_ID_REUSED', NULL::json;
    RETURN;
  ELSIF known IS NOT NULL THEN
    outcomes := ARRAY(SELECT jsonb_array_elements_text(known -> 'outcomes'));
  ELSE
    SELECT coalesce(array_agg(i.outcome ORDER BY i.place), '{}') INTO outcomes
    FROM skus_import(skus, array_fill(NULL::bigint, ARRAY[cardinality(skus)]), overwrites, false) AS i;
    INSERT INTO control_changes
      (what, scope, scope_id, was, became, reason, changed_by, changed_at, request_id, answer)
    SELECT 'IMPORT', CASE store WHEN '' THEN 'ALL' ELSE 'STORE' END, store, '', format(
        '%s created, %s changed, %s unchanged, %s failed', count(*) FILTER (WHERE o = 'CREATED'),
        count(*) FILTER (WHERE o = 'CHANGED'), count(*) FILTER (WHERE o = 'UNCHANGED'),
        count(*) FILTER (WHERE o NOT IN ('CREATED', 'CHANGED', 'UNCHANGED'))),
      why, operator, clock(), request, jsonb_build_object('fingerprint', fingerprint, 'outcomes', outcomes)
    FROM unnest(outcomes) AS o
    ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
      RAISE serialization_failure USING MESSAGE = 'skus_import_once: the request id was used meanwhile';
    END IF;
  END IF;
  RETURN QUERY SELECT u.place, u.outcome, (
      SELECT row_to_json(r) FROM sku_rows AS r WHERE r.sku_id = u.sku ->> 'sku_id' AND u.outcome <> 'OTHER_STORE')
    FROM unnest(skus, outcomes) WITH ORDINALITY AS u (sku, outcome, place);
END $$;
