-- The one door through which a decided order changes its state: looks the event up in the table of transitions and applies
-- what stands there, for all orders at once and each on its own.
--   happening  an event of the table
--   order_ids  the orders; unknown ones are left out
--   note       with CANCEL: why, in words; else null
-- Returns one row an order: effect, as the table has it, and changed, whether its state is another one now.
-- Locks the orders in the order of their ids, then the skus in the order of theirs. Admission locks skus and then only
-- inserts orders, so neither waits for the other in a circle. RETAKE takes what its caller found free under these locks.
-- Raises serialization_failure when another order of the store drew the same code: nothing has happened then.
CREATE OR REPLACE FUNCTION ledger.orders_transition(happening text, order_ids uuid[], note text)
RETURNS TABLE (order_id uuid, effect text, changed boolean)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  at timestamptz;
  ids uuid[]; from_states text[]; to_states text[]; versions int[]; effects text[];
  expected int;
  written int;
BEGIN
  PERFORM FROM orders WHERE order_id = ANY (order_ids) ORDER BY order_id FOR NO KEY UPDATE;
  PERFORM FROM stock WHERE sku_id = ANY (ARRAY(
      SELECT DISTINCT l.sku_id FROM orders AS o JOIN order_lines AS l ON l.order_id = o.order_id
      WHERE o.order_id = ANY (order_ids) AND (o.state IN ('HELD', 'CONFIRMED') OR happening = 'RETAKE')))
  ORDER BY sku_id FOR NO KEY UPDATE;
  at := clock();

  SELECT array_agg(o.order_id), array_agg(o.state), array_agg(o.version), array_agg(t.to_state), array_agg(t.effect),
    count(t.to_state)
  INTO ids, from_states, versions, to_states, effects, expected
  FROM orders AS o
  JOIN transitions AS t ON t.event = happening
    AND t.from_state = CASE WHEN o.state = 'HELD' AND o.expires_at <= at THEN 'LAPSED' ELSE o.state END
  WHERE o.order_id = ANY (order_ids);

  IF expected > 0 THEN
    BEGIN
      UPDATE orders AS o SET state = t.to_state, version = o.version + 1, expires_at = NULL, updated_at = at,
        code = CASE WHEN t.to_state = 'CONFIRMED' THEN coalesce(o.code, fulfil_code()) ELSE o.code END,
        fulfilled_at = CASE WHEN t.to_state = 'FULFILLED' THEN at ELSE o.fulfilled_at END,
        cancel_reason = CASE WHEN happening = 'CANCEL' THEN note ELSE o.cancel_reason END
      FROM unnest(ids, from_states, versions, to_states) AS t (order_id, from_state, version, to_state)
      WHERE o.order_id = t.order_id AND o.state = t.from_state AND o.version = t.version AND t.to_state IS NOT NULL;
      GET DIAGNOSTICS written = ROW_COUNT;
    EXCEPTION WHEN unique_violation THEN
      RAISE serialization_failure USING MESSAGE = 'orders_transition: the code is taken';
    END;
    IF written <> expected THEN
      RAISE data_corrupted USING MESSAGE = 'orders_transition: the orders did not change as decided';
    END IF;

    UPDATE order_lines AS l SET held_until = NULL
    FROM unnest(ids, from_states, to_states) AS t (order_id, from_state, to_state)
    WHERE l.order_id = t.order_id AND t.from_state = 'HELD' AND t.to_state IS NOT NULL;

    PERFORM waiters_follow(ids, at);
    PERFORM orders_move(happening, ids, from_states, versions, effects, at);

    UPDATE payment_attempts AS a SET state = 'ENDED'
    FROM unnest(ids, effects) AS t (order_id, effect)
    WHERE a.order_id = t.order_id AND a.state = 'OPEN' AND t.effect = 'RELEASE';
    PERFORM refunds_add(p.providers, p.payment_ids, NULL, 'CANCELLED', at)
    FROM (
      SELECT array_agg(p.provider) AS providers, array_agg(p.provider_payment_id) AS payment_ids
      FROM unnest(ids, from_states, effects) AS t (order_id, from_state, effect)
      JOIN payments AS p ON p.order_id = t.order_id AND p.state = 'CAPTURED'
      WHERE t.effect = 'RELEASE' AND t.from_state = 'CONFIRMED'
    ) AS p
    WHERE p.providers IS NOT NULL;

    INSERT INTO outbox (order_id, order_version, state, at)
    SELECT t.order_id, t.version + 1, t.to_state, at
    FROM unnest(ids, versions, to_states) AS t (order_id, version, to_state) WHERE t.to_state IS NOT NULL;
  END IF;

  RETURN QUERY SELECT t.order_id, t.effect, t.to_state IS NOT NULL
  FROM unnest(ids, effects, to_states) AS t (order_id, effect, to_state);
END $$;
REVOKE EXECUTE ON FUNCTION ledger.orders_transition FROM holdfast_runtime;
