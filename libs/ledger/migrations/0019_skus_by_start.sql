-- What of a store begins within a time, in its order.
CREATE INDEX skus_by_start ON ledger.skus (store_id, starts_at, sku_id) WHERE starts_at IS NOT NULL;
