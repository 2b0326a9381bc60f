-- Ends a claim that cannot be processed: a REFUSED row and a dead letter together. A claim whose order is known stays
-- as it is and leaves no letter.
--   id … hash   the claim, as for claims_admit
--   sku_ids, attendee_ids, quantities   its lines, as far as they are well formed
--   of_subject, message, failure        where it came from, its bytes, and what went wrong
-- Returns the order as it is now (a row of order_rows).
-- Raises serialization_failure when the id was written meanwhile: then nothing has happened, and the next try knows it.
CREATE OR REPLACE FUNCTION ledger.claim_bury(
  id uuid, of_store text, of_user text, of_request text, hash bytea,
  sku_ids text[], attendee_ids text[], quantities int[], of_subject text, message bytea, failure text
) RETURNS SETOF ledger.order_rows
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  at CONSTANT timestamptz := clock();
BEGIN
  IF NOT EXISTS (SELECT FROM orders WHERE order_id = id) THEN
    INSERT INTO orders (order_id, store_id, user_id, request_id, lines_hash, state, version, refusal, amount_minor,
      currency, created_at, updated_at)
    VALUES (id, of_store, of_user, of_request, hash, 'REFUSED', 1,
      jsonb_build_object('reason', 'UNPROCESSABLE', 'sku_id', coalesce(sku_ids[1], '')), 0,
      coalesce((SELECT currency FROM skus WHERE sku_id = sku_ids[1]), ''), at, at)
    ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
      RAISE serialization_failure USING MESSAGE = 'claim_bury: the order was written meanwhile';
    END IF;
    INSERT INTO order_lines (order_id, sku_id, attendee_id, quantity, unit_price_minor, created_at)
    SELECT id, l.sku_id, l.attendee_id, l.quantity, coalesce(sku.price_minor, 0), at
    FROM unnest(sku_ids, attendee_ids, quantities) AS l (sku_id, attendee_id, quantity)
    LEFT JOIN skus AS sku ON sku.sku_id = l.sku_id;
    PERFORM dead_letter_add(of_subject, message, failure, id);
  END IF;
  RETURN QUERY SELECT * FROM order_rows WHERE order_id = id;
END $$;
