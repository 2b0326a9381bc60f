-- Sets a switch of one scope, unless somebody else did since it was read. The same request again changes nothing.
--   of_switch            STOCK_PATH or ORDER_PATH
--   of_scope, of_id      ALL and '', STORE and its id, SKU and its id
--   of_store             of a SKU: the store that must have it
--   wanted               the setting
--   expected             the version that was read; 0: it was never set
--   for_seconds          then it is AUTO again; 0: until it is set again
--   why, who, request    reason, operator, request id
-- Returns one row, with the switch as it became by this request, or as it is when nothing changed; null when it was
-- never set. outcome:
--   SET          now, or by this same request before
--   CHANGED      it has another version than was expected
--   REUSED       the request id set something else
--   NO_SKU       there is no such sku in the store
CREATE OR REPLACE FUNCTION ledger.switch_set(
  of_switch text, of_scope text, of_id text, of_store text, wanted text, expected bigint, for_seconds int,
  why text, who text, request text
) RETURNS TABLE (
  outcome text, setting text, version bigint, reason text, set_by text, set_at timestamptz, expires_at timestamptz
)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
AS $$
#variable_conflict use_column
DECLARE
  at timestamptz;
  ends timestamptz;
  old switches;
  done control_changes;
BEGIN
  -- Operators set one after the other, also what has no row yet. Whoever reads is not kept.
  LOCK TABLE switches IN SHARE ROW EXCLUSIVE MODE;
  at := clock();
  SELECT * INTO done FROM control_changes AS c WHERE c.what = of_switch AND c.request_id = request;
  IF FOUND THEN
    RETURN QUERY SELECT
      CASE WHEN (done.scope, done.scope_id, done.became, done.reason, done.changed_by) = (of_scope, of_id, wanted, why, who)
        AND coalesce(extract(epoch FROM done.expires_at - done.changed_at), 0) = for_seconds THEN 'SET' ELSE 'REUSED' END,
      done.became, done.version, done.reason, done.changed_by, done.changed_at, done.expires_at;
    RETURN;
  END IF;
  IF of_scope = 'SKU' AND NOT EXISTS (SELECT FROM skus AS k WHERE k.sku_id = of_id AND k.store_id = of_store) THEN
    RETURN QUERY SELECT 'NO_SKU', NULL::text, NULL::bigint, NULL::text, NULL::text, NULL::timestamptz, NULL::timestamptz;
    RETURN;
  END IF;
  SELECT * INTO old FROM switches AS s WHERE (s.switch, s.scope, s.scope_id) = (of_switch, of_scope, of_id);
  IF coalesce(old.version, 0) <> expected THEN
    RETURN QUERY SELECT 'CHANGED', old.setting, old.version, old.reason, old.set_by, old.set_at, old.expires_at;
    RETURN;
  END IF;

  ends := CASE WHEN for_seconds > 0 THEN at + for_seconds * interval '1 second' END;
  INSERT INTO switches AS s VALUES (of_switch, of_scope, of_id, wanted, expected + 1, why, who, at, ends)
  ON CONFLICT (switch, scope, scope_id) DO UPDATE SET setting = excluded.setting, version = excluded.version,
    reason = excluded.reason, set_by = excluded.set_by, set_at = excluded.set_at, expires_at = excluded.expires_at;
  INSERT INTO control_changes (
    what, scope, scope_id, was, became, reason, changed_by, changed_at, version, expires_at, request_id)
  VALUES (of_switch, of_scope, of_id, CASE WHEN old.expires_at <= at THEN 'AUTO' ELSE coalesce(old.setting, 'AUTO') END,
    wanted, why, who, at, expected + 1, ends, request);
  RETURN QUERY SELECT 'SET', wanted, expected + 1, why, who, at, ends;
END $$;
