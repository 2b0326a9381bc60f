-- Whether an order is within the limits beyond one sku, and what is left of them then.
--   figures             as limits_open gave them, or as the last call did
--   of_store, of_user   the order's
--   of_order            its id: who is refused for it later in the same transaction hears it
--   is_open             whether it is to be paid
--   skus, attendees, quantities   its lines
--   is_forced           passes over what it is beyond, and adds that to the figures: {"passed over": [{scope, sku_id, limit}]}
-- Returns the figures with the order in them; or, when it is beyond one of them, a refusal: LIMIT_REACHED with sku_id,
-- limit, scope, and own_order_id, the user's own newest order that counts there, if there is one.
CREATE OR REPLACE FUNCTION ledger.limits_spend(
  figures jsonb, of_store text, of_user text, of_order uuid, is_open boolean,
  skus text[], attendees text[], quantities int[], is_forced boolean DEFAULT false
) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
AS $$
#variable_conflict use_column
DECLARE
  spent jsonb := figures;
  wanted record;
  figure jsonb;
BEGIN
  FOR wanted IN
    SELECT x.scope, x.name, x.units, l.sku_id, l.attendee_id, figures ->> l.sku_id AS group_id
    FROM unnest(skus, attendees, quantities) AS l (sku_id, attendee_id, quantity)
    CROSS JOIN LATERAL (VALUES
      ('STORE', concat_ws(' ', 'STORE', of_store, l.attendee_id), l.quantity),
      ('GROUP', concat_ws(' ', 'GROUP', of_store, l.attendee_id, figures ->> l.sku_id), l.quantity)
    ) AS x (scope, name, units)
    UNION ALL
    SELECT x.scope, concat_ws(' ', x.scope, of_store, of_user), 1, skus[1], NULL, NULL
    FROM (VALUES ('OPEN_ORDERS', is_open), ('UNFULFILLED', true)) AS x (scope, counts) WHERE x.counts
  LOOP
    figure := spent -> wanted.name;
    CONTINUE WHEN figure IS NULL;
    IF (figure ->> 'has')::int + wanted.units > (figure ->> 'limit')::int AND is_forced THEN
      spent := spent || jsonb_build_object('passed over', coalesce(spent -> 'passed over', '[]') || jsonb_build_object(
        'scope', wanted.scope, 'sku_id', wanted.sku_id, 'limit', (figure ->> 'limit')::int));
    ELSIF (figure ->> 'has')::int + wanted.units > (figure ->> 'limit')::int THEN
      RETURN jsonb_strip_nulls(jsonb_build_object('reason', 'LIMIT_REACHED', 'sku_id', wanted.sku_id,
        'limit', (figure ->> 'limit')::int, 'scope', wanted.scope,
        'own_order_id', CASE WHEN figure ->> 'user' = of_user AND figure ->> 'order' <> of_order::text
          THEN figure ->> 'order'
          ELSE limits_own_order(of_store, of_user, wanted.scope, wanted.attendee_id, wanted.group_id)::text END));
    END IF;
    spent := spent || jsonb_build_object(wanted.name, figure || jsonb_build_object(
      'has', (figure ->> 'has')::int + wanted.units, 'user', of_user, 'order', of_order));
  END LOOP;
  RETURN spent;
END $$;
REVOKE EXECUTE ON FUNCTION ledger.limits_spend FROM holdfast_runtime;
