-- Writes down what became of a letter, and who did it and why.
--   letter_id      the letter, locked and unresolved
--   as_what        REPLAYED or DISCARDED
--   old, new       what it asked for, as it was and as it became, in words
--   by_whom, why   the operator and the reason
--   request        the id of the request
-- Raises serialization_failure when the request was used meanwhile: nothing has happened, and the next try knows it.
CREATE OR REPLACE FUNCTION ledger.dead_letter_resolve(
  letter_id bigint, as_what text, old text, new text, by_whom text, why text, request text
) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  resolved CONSTANT timestamptz := ledger.clock();
BEGIN
  INSERT INTO ledger.control_changes (what, scope, scope_id, was, became, reason, changed_by, changed_at, request_id)
  VALUES ('DEAD_LETTER', 'ALL', '', format('dead letter %s: %s', letter_id, old), new, why, by_whom, resolved, request)
  ON CONFLICT (what, request_id) DO NOTHING;
  IF NOT FOUND THEN
    RAISE serialization_failure USING MESSAGE = 'dead_letter_resolve: the request was used meanwhile';
  END IF;
  UPDATE ledger.dead_letters SET resolved_at = resolved, resolution = as_what, resolved_by = by_whom, resolved_reason = why,
    resolved_request_id = request
  WHERE id = letter_id;
END $$;
REVOKE EXECUTE ON FUNCTION ledger.dead_letter_resolve FROM holdfast_runtime;
