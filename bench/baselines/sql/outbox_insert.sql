-- Leaves the news of the order for the relay.
-- $1 uuid order
INSERT INTO ledger.outbox (order_id, order_version, state, at) VALUES ($1, 1, 'HELD', now())
