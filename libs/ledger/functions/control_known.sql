-- Whether a change by an operator was asked for earlier with this request id.
--   verb, of_scope, of_id, why, operator, request   the change; of_id null: nobody knows any more
--   value   what it began to be, of a change that says so; null: the verb says it all
-- Returns KNOWN: by this very request. REQUEST_ID_REUSED: the request was about something else. Null: it is new.
CREATE OR REPLACE FUNCTION ledger.control_known(
  verb text, of_scope text, of_id text, why text, operator text, request text, value text DEFAULT NULL
) RETURNS text
LANGUAGE sql STABLE
AS $$
  SELECT CASE WHEN (c.scope, c.scope_id, c.reason, c.changed_by) = (of_scope, coalesce(of_id, c.scope_id), why, operator)
    AND coalesce(starts_with(c.became || ',', value || ','), true) THEN 'KNOWN' ELSE 'REQUEST_ID_REUSED' END
  FROM ledger.control_changes AS c WHERE c.what = verb AND c.request_id = request
$$;
REVOKE EXECUTE ON FUNCTION ledger.control_known FROM holdfast_runtime;
