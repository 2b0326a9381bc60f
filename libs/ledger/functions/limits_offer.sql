-- Whether who waits for a sku may have what is wanted, by the limits beyond one sku. The caller, waiters_promote, holds the
-- lock of the sku.
--   of_store, of_user   whose entry
--   of_sku, lines       what is wanted: [{attendee_id, quantity}]
--   is_open             whether the order is to be paid or accepted
-- Returns null: yes; LIMIT_REACHED: no; NOT_NOW: somebody else gives one of these people something at this moment, or
-- nobody ever did under such a limit.
CREATE OR REPLACE FUNCTION ledger.limits_offer(
  of_store text, of_user text, of_sku text, lines jsonb, is_open boolean
) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
AS $$
#variable_conflict use_column
DECLARE
  attendees CONSTANT text[] := ARRAY(SELECT l ->> 'attendee_id' FROM jsonb_array_elements(lines) AS l);
  quantities CONSTANT int[] := ARRAY(SELECT (l ->> 'quantity')::int FROM jsonb_array_elements(lines) AS l);
  figures CONSTANT jsonb := limits_open(ARRAY[of_sku], array_fill(1, ARRAY[cardinality(attendees)]), attendees,
    ARRAY[of_store], ARRAY[of_user], waits => false);
BEGIN
  RETURN CASE WHEN figures IS NULL THEN NULL WHEN figures ? 'not now' THEN 'NOT_NOW' ELSE
    limits_spend(figures, of_store, of_user, NULL, is_open, array_fill(of_sku, ARRAY[cardinality(attendees)]),
      attendees, quantities) ->> 'reason' END;
END $$;
REVOKE EXECUTE ON FUNCTION ledger.limits_offer FROM holdfast_runtime;
