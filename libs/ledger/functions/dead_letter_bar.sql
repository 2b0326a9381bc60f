-- Why a request may not resolve a letter, or need not; null: it may.
--   letter    the letter, locked; all null: there is none
--   as_what   REPLAYED or DISCARDED
--   by_whom, why   the operator and the reason
--   request   the id of the request
-- Returns
--   NOT_FOUND  there is no such letter
--   REPEATED   this request did it
--   RESOLVED   somebody has seen to it already
--   REUSED     this request did something else
CREATE OR REPLACE FUNCTION ledger.dead_letter_bar(
  letter ledger.dead_letters, as_what text, by_whom text, why text, request text
) RETURNS text
LANGUAGE sql STABLE
AS $$
  SELECT CASE
    WHEN letter.id IS NULL THEN 'NOT_FOUND'
    WHEN (letter.resolved_request_id, letter.resolution, letter.resolved_by, letter.resolved_reason)
      = (request, as_what, by_whom, why) THEN 'REPEATED'
    WHEN letter.resolved_request_id = request THEN 'REUSED'
    WHEN letter.resolved_at IS NOT NULL THEN 'RESOLVED'
    WHEN EXISTS (SELECT FROM ledger.control_changes AS c WHERE c.what = 'DEAD_LETTER' AND c.request_id = request)
      THEN 'REUSED'
  END
$$;
REVOKE EXECUTE ON FUNCTION ledger.dead_letter_bar FROM holdfast_runtime;
