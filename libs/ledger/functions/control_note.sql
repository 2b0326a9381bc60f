-- Keeps a change of a sku by an operator.
--   verb, of_sku, was, became, why, operator, at, request   the change, whose request control_known did not know
-- Raises serialization_failure when the request id was used meanwhile: the next try is told so.
CREATE OR REPLACE FUNCTION ledger.control_note(
  verb text, of_sku text, was text, became text, why text, operator text, at timestamptz, request text
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
BEGIN
  INSERT INTO control_changes (what, scope, scope_id, was, became, reason, changed_by, changed_at, request_id)
  VALUES (verb, 'SKU', of_sku, control_note.was, control_note.became, why, operator, at, request)
  ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN
    RAISE serialization_failure USING MESSAGE = format('%s: the request id was used meanwhile', verb);
  END IF;
END $$;
REVOKE EXECUTE ON FUNCTION ledger.control_note FROM holdfast_runtime;
