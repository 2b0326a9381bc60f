-- Holds that are past their expiry, the longest overdue first.
-- $1 int: so many at most
SELECT order_id FROM ledger.orders WHERE state = 'HELD' AND expires_at <= now() ORDER BY expires_at LIMIT $1
