-- Deletes records that are older than they are kept.
--   keep_days  for how long they are
--   at_most    of one call
-- Returns how many were deleted.
CREATE OR REPLACE FUNCTION ledger.access_prune(keep_days int, at_most int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
AS $$
DECLARE
  pruned int;
BEGIN
  DELETE FROM access_records AS a WHERE a.ctid = ANY (ARRAY(
    SELECT o.ctid FROM access_records AS o WHERE o.at < clock() - make_interval(days => keep_days) LIMIT at_most));
  GET DIAGNOSTICS pruned = ROW_COUNT;
  RETURN pruned;
END $$;
