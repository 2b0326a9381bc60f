-- Keeps a change by an operator.
--   verb, of_scope, of_id, was, became, why, operator, at, request   the change, whose request control_known did not know
--   told   what the request is answered with, where the change does not say it by itself
-- Raises serialization_failure when the request id was used meanwhile: the next try is told so.
CREATE OR REPLACE FUNCTION ledger.control_note(
  verb text, of_scope text, of_id text, was text, became text, why text, operator text, at timestamptz, request text,
  told jsonb DEFAULT NULL
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
BEGIN
  INSERT INTO control_changes (what, scope, scope_id, was, became, reason, changed_by, changed_at, request_id, answer)
  VALUES (verb, of_scope, of_id, control_note.was, control_note.became, why, operator, at, request, told)
  ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN
    RAISE serialization_failure USING MESSAGE = format('%s: the request id was used meanwhile', verb);
  END IF;
END $$;
REVOKE EXECUTE ON FUNCTION ledger.control_note FROM holdfast_runtime;
