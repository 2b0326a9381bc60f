-- Lets entries that are barred be looked at again. The caller holds the stock's lock and calls waiters_promote.
--   of_sku        the sku
--   of_attendees  whose units of it fell; null: its terms or its size changed, so all
CREATE OR REPLACE FUNCTION ledger.waiters_unbar(of_sku text, of_attendees text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
BEGIN
  IF of_attendees IS NULL THEN
    UPDATE waitlist_entries AS e SET barred = NULL, barred_attendee_id = NULL
    WHERE e.sku_id = of_sku AND e.state = 'WAITING' AND e.barred IS NOT NULL;
  ELSE
    UPDATE waitlist_entries AS e SET barred = NULL, barred_attendee_id = NULL
    WHERE e.sku_id = of_sku AND e.state = 'WAITING' AND e.barred IS NOT NULL
      AND e.barred_attendee_id = ANY (of_attendees);
  END IF;
END $$;
REVOKE EXECUTE ON FUNCTION ledger.waiters_unbar FROM holdfast_runtime;
