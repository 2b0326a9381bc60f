-- The newest live order of a user that has units of a sku for an attendee.
-- Returns its id, or null when the units are somebody else's.
CREATE OR REPLACE FUNCTION ledger.own_order(user_id text, sku_id text, attendee_id text) RETURNS uuid
LANGUAGE sql STABLE
RETURN (
  SELECT o.order_id
  FROM ledger.orders AS o
  JOIN ledger.order_lines AS l ON l.order_id = o.order_id AND l.sku_id = own_order.sku_id AND l.attendee_id = own_order.attendee_id
  WHERE o.user_id = own_order.user_id AND o.state IN ('HELD', 'CONFIRMED', 'FULFILLED')
  ORDER BY o.created_at DESC, o.order_id DESC LIMIT 1
);
