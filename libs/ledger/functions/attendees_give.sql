-- Gives units to attendees in one batch of admission, which holds the locks of the skus.
--   sku_ids, pair_skus, pair_attendees   pairs of sku (index into sku_ids, from 1) and attendee, each once
--   taken, owned                         units that each pair gets, and has; owned null: there is no row
--   limited                              whether a limit beyond one sku may want to know of them
CREATE OR REPLACE FUNCTION ledger.attendees_give(
  sku_ids text[], pair_skus int[], pair_attendees text[], taken int[], owned int[], limited boolean
) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO ledger.attendee_units (sku_id, attendee_id, units)
  SELECT sku_ids[t.k], t.attendee_id, t.taken
  FROM unnest(pair_skus, pair_attendees, taken, owned) AS t (k, attendee_id, taken, owned)
  WHERE t.taken > 0 AND t.owned IS NULL;
  IF num_nonnulls(VARIADIC owned) > 0 THEN
    UPDATE ledger.attendee_units AS a SET units = a.units + t.taken
    FROM unnest(pair_skus, pair_attendees, taken, owned) AS t (k, attendee_id, taken, owned)
    WHERE t.taken > 0 AND t.owned IS NOT NULL AND a.sku_id = sku_ids[t.k] AND a.attendee_id = t.attendee_id;
  END IF;
  IF limited THEN
    PERFORM ledger.limits_note(array_agg(sku_ids[t.k]), array_agg(t.attendee_id))
    FROM unnest(pair_skus, pair_attendees, taken) AS t (k, attendee_id, taken) WHERE t.taken > 0;
  END IF;
END $$;
REVOKE EXECUTE ON FUNCTION ledger.attendees_give FROM holdfast_runtime;
