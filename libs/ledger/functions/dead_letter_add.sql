-- Keeps a message that nobody could process. The same message again adds nothing while the first is unresolved.
--   of_subject, message, failure   where it came from, its bytes, and what went wrong
--   id                             the order it is about, or null
CREATE OR REPLACE FUNCTION ledger.dead_letter_add(of_subject text, message bytea, failure text, id uuid) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = ledger, pg_temp
AS $$
  INSERT INTO ledger.dead_letters (order_id, subject, payload, error, at)
  VALUES (id, of_subject, message, failure, ledger.clock())
  ON CONFLICT (subject, sha256(payload)) WHERE resolved_at IS NULL DO NOTHING;
$$;
