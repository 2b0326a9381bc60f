-- Gives what is free of some skus to those who wait, in the order of their arrival, each as an order of its own. The
-- caller holds the stock's locks; it is called wherever units become free, before the transaction ends, so that nobody
-- who comes later sees them.
--   sku_ids  the skus
--   at       when, by clock() after the locks were taken
-- Per sku: what is free or reserved goes to entries from the head on. One whose attendee would have too many units, or
-- that wants more than an order may have or than there is, is barred: it keeps its place and is passed over. One that
-- wants more than is left keeps the rest reserved; FIRST_FIT serves smaller ones behind it, waitlist_skips times at
-- most. While somebody waits who is not barred, the rest is reserved, so that no newcomer finds it free; else it is free.
-- Who is beyond a limit of the store or a group of skus is barred likewise, and looked at again each time; whoever is
-- given something elsewhere at this moment is left to the next time, and those behind wait with them.
-- A sale that is over offers nothing (waitlist_end ends the wait); one that is paused or not open yet, or whose waitlist
-- is paused, keeps all reserved. At most 1000 entries are looked at in a transaction; the job `promote` goes on.
-- Returns how many were promoted.
CREATE OR REPLACE FUNCTION ledger.waiters_promote(sku_ids text[], at timestamptz) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  budget int := 1000;
  sale record;
  waiter waitlist_entries%ROWTYPE;
  left_over int; over_attendee text; why text;
  passed uuid[]; most_skips int;
  served uuid[];
  kept int; delta int;
  promoted int := 0;
BEGIN
  FOR sale IN
    SELECT sku.*, s.capacity, s.free, s.reserved, s.waiting, sale_bar(sku, at) AS bar
    FROM stock AS s JOIN skus AS sku ON sku.sku_id = s.sku_id
    WHERE s.sku_id = ANY (sku_ids) AND (s.waiting > 0 OR s.reserved > 0) AND s.free + s.reserved > 0
    ORDER BY s.sku_id
  LOOP
    CONTINUE WHEN sale.waiting > 0 AND sale_is_over(sale.sku_id, at);
    left_over := sale.free + sale.reserved;
    passed := '{}'; most_skips := 0; served := '{}';
    IF sale.bar IS NULL AND NOT sale.waitlist_paused THEN
      UPDATE waitlist_entries AS e SET barred = NULL
      WHERE e.sku_id = sale.sku_id AND e.state = 'WAITING' AND e.barred = 'LIMIT_REACHED'
        AND e.barred_attendee_id IS NULL;
      FOR waiter IN
        SELECT * FROM waitlist_entries AS e
        WHERE e.sku_id = sale.sku_id AND e.state = 'WAITING' AND e.barred IS NULL ORDER BY e.place LIMIT budget
      LOOP
        EXIT WHEN left_over = 0;
        budget := budget - 1;
        SELECT l.attendee_id INTO over_attendee
        FROM jsonb_to_recordset(waiter.lines) AS l (attendee_id text, quantity int)
        LEFT JOIN attendee_units AS a ON a.sku_id = sale.sku_id AND a.attendee_id = l.attendee_id
        WHERE coalesce(a.units, 0) + l.quantity > sale.per_user_limit LIMIT 1;
        why := CASE WHEN over_attendee IS NOT NULL THEN 'LIMIT_REACHED'
          WHEN waiter.quantity > sale.max_per_order THEN 'MAX_PER_ORDER'
          WHEN waiter.quantity > sale.capacity THEN 'NOT_ENOUGH'
          ELSE limits_offer(sale.store_id, waiter.user_id, sale.sku_id, waiter.lines,
            sale.payment_required OR sale.waitlist_accept = 'OFFER') END;
        EXIT WHEN why = 'NOT_NOW';
        IF why IS NOT NULL THEN
          UPDATE waitlist_entries AS e SET barred = why, barred_attendee_id = over_attendee, updated_at = at
          WHERE e.entry_id = waiter.entry_id;
          CONTINUE;
        END IF;
        IF waiter.quantity > left_over THEN
          EXIT WHEN sale.waitlist_order = 'STRICT' OR waiter.skipped >= sale.waitlist_skips;
          passed := passed || waiter.entry_id; most_skips := greatest(most_skips, waiter.skipped);
          CONTINUE;
        ELSIF passed <> '{}' THEN
          EXIT WHEN most_skips >= sale.waitlist_skips;
          most_skips := most_skips + 1;
          UPDATE waitlist_entries AS e SET skipped = e.skipped + 1 WHERE e.entry_id = ANY (passed);
        END IF;
        -- At once, because the next one may wait for the same attendee.
        INSERT INTO attendee_units AS a (sku_id, attendee_id, units)
        SELECT sale.sku_id, l.attendee_id, l.quantity
        FROM jsonb_to_recordset(waiter.lines) AS l (attendee_id text, quantity int)
        ON CONFLICT (sku_id, attendee_id) DO UPDATE SET units = a.units + excluded.units;
        PERFORM limits_note(array_agg(sale.sku_id), array_agg(l.attendee_id))
        FROM jsonb_to_recordset(waiter.lines) AS l (attendee_id text, quantity int);
        left_over := left_over - waiter.quantity;
        served := served || waiter.entry_id;
      END LOOP;
    END IF;

    IF served <> '{}' THEN
      PERFORM waiters_serve(served, sale.sku_id, sale.reserved, at);
      promoted := promoted + cardinality(served);
    END IF;
    kept := CASE WHEN EXISTS (
      SELECT FROM waitlist_entries AS e
      WHERE e.sku_id = sale.sku_id AND e.state = 'WAITING' AND e.barred IS NULL) THEN left_over ELSE 0 END;
    -- What was served came out of what was reserved first.
    delta := kept - greatest(0, sale.reserved - (sale.free + sale.reserved - left_over));
    IF delta <> 0 THEN
      UPDATE stock AS s SET free = s.free - delta, reserved = s.reserved + delta, version = s.version + 1
      WHERE s.sku_id = sale.sku_id;
      INSERT INTO stock_changes
        (sku_id, stock_version, delta_capacity, delta_overbooked, delta_free, delta_reserved, reason, at)
      SELECT s.sku_id, s.version, 0, 0, -delta, delta, 'WAITLIST', at FROM stock AS s WHERE s.sku_id = sale.sku_id;
    END IF;
  END LOOP;
  RETURN promoted;
END $$;
REVOKE EXECUTE ON FUNCTION ledger.waiters_promote FROM holdfast_runtime;
