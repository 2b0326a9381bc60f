-- What a sku's terms say of a user who gives a confirmed unit of it back at an instant.
--   sku  the sku's row    at  the instant
-- Returns null when it is free; REFUSE or NO_REFUND when less than free_cancel_seconds are left until it starts.
CREATE OR REPLACE FUNCTION ledger.cancel_bar(sku ledger.skus, at timestamptz) RETURNS text
LANGUAGE sql STABLE
RETURN CASE WHEN at > sku.starts_at - sku.free_cancel_seconds * interval '1 second' THEN sku.late_cancel END;
