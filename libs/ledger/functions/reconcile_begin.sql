-- Begins a look: from now on nothing that an earlier one still wants to write is taken.
-- Returns the look's number.
CREATE OR REPLACE FUNCTION ledger.reconcile_begin() RETURNS bigint
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = ledger, pg_temp
AS $$ UPDATE ledger.reconcile_fence SET fence = fence + 1 RETURNING fence $$;
