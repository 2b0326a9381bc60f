-- A table with a row for each unit, free while it has no order.
CREATE TABLE units (unit bigint PRIMARY KEY, sku_id text NOT NULL, order_id uuid);
CREATE INDEX units_free ON units (sku_id, unit) WHERE order_id IS NULL
