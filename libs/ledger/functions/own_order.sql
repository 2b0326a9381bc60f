-- The newest live order of a user that has units of a sku for an attendee.
-- Returns its id, or null when the units are somebody else's.
CREATE OR REPLACE FUNCTION ledger.own_order(of_user text, of_sku text, of_attendee text) RETURNS uuid
LANGUAGE sql STABLE
AS $$
  SELECT o.order_id
  FROM ledger.orders AS o
  JOIN ledger.order_lines AS l ON l.order_id = o.order_id AND l.sku_id = of_sku AND l.attendee_id = of_attendee
  WHERE o.user_id = of_user AND o.state IN ('HELD', 'CONFIRMED', 'FULFILLED')
  ORDER BY o.created_at DESC, o.order_id DESC LIMIT 1
$$;
