-- The no to an order with which its attendee would have more units of a sku than one may have. It names the asking user's
-- newest live order of them, if there is one. ALREADY_BOOKED: that is confirmed, and no more are allowed besides; else
-- LIMIT_REACHED.
--   of_sku, has, most       the sku, how many units the attendee has of it, and how many one may have
--   of_user, of_attendee    who asks, and for whom
--   own, own_state          that order where it is not written yet; null: it is looked for
CREATE OR REPLACE FUNCTION ledger.limit_refusal(
  of_sku text, has int, most int, of_user text, of_attendee text, own uuid DEFAULT NULL, own_state text DEFAULT NULL
) RETURNS jsonb
LANGUAGE sql STABLE
AS $$
  SELECT jsonb_strip_nulls(jsonb_build_object('sku_id', of_sku, 'limit', most, 'own_order_id', o.order_id,
    'reason', CASE WHEN has >= most AND o.state IN ('CONFIRMED', 'FULFILLED') THEN 'ALREADY_BOOKED'
      ELSE 'LIMIT_REACHED' END))
  FROM (VALUES (own, own_state)) AS unwritten (order_id, state)
  LEFT JOIN LATERAL (
    SELECT unwritten.order_id, unwritten.state WHERE unwritten.order_id IS NOT NULL
    UNION ALL
    (SELECT o.order_id, o.state
     FROM ledger.orders AS o
     JOIN ledger.order_lines AS l ON l.order_id = o.order_id AND l.sku_id = of_sku AND l.attendee_id = of_attendee
     WHERE unwritten.order_id IS NULL AND o.user_id = of_user AND o.state IN ('HELD', 'CONFIRMED', 'FULFILLED')
     ORDER BY o.created_at DESC, o.order_id DESC LIMIT 1)
  ) AS o ON true
$$;
REVOKE EXECUTE ON FUNCTION ledger.limit_refusal FROM holdfast_runtime;
