-- Which lines a part that was given back named, [[sku_id, attendee_id, quantity]] in their order: the same request id for
-- others is another request. Null: noted before, or of another change.
ALTER TABLE ledger.order_changes ADD COLUMN asked jsonb;
