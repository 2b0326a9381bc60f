-- Clears the open alert of a kind and subject, if there is one.
--   by_whom, why   an operator and the reason, or 'system'
-- Returns whether there was one.
CREATE OR REPLACE FUNCTION ledger.alert_clear(of_kind text, of_subject text, by_whom text, why text) RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = ledger, pg_temp
AS $$
BEGIN
  UPDATE ledger.alerts SET cleared_at = ledger.clock(), cleared_by = by_whom, cleared_reason = why
  WHERE kind = of_kind AND subject = of_subject AND cleared_at IS NULL;
  RETURN FOUND;
END $$;
