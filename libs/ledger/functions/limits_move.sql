-- Whether units of one sku may be had of another one instead, by the limits beyond one sku. The caller, order_move, holds
-- the locks of the order and of both skus. It stays one order in one store: a group of the target alone can be too much.
--   id              the order
--   source, target  the skus
-- Returns a refusal as limits_spend does, or null.
CREATE OR REPLACE FUNCTION ledger.limits_move(id uuid, source text, target text) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
AS $$
#variable_conflict use_column
DECLARE
  o orders%ROWTYPE;
  attendees text[]; quantities int[]; targets text[];
  figures jsonb;
BEGIN
  SELECT * INTO STRICT o FROM orders WHERE order_id = id;
  SELECT array_agg(l.attendee_id), array_agg(l.quantity), array_agg(target) INTO attendees, quantities, targets
  FROM order_lines AS l WHERE l.order_id = id AND l.sku_id = source;
  figures := limits_open(ARRAY[target], array_fill(1, ARRAY[cardinality(attendees)]), attendees, '{}', '{}');
  IF figures IS NULL OR figures ->> target = (SELECT sku.limit_group FROM skus AS sku WHERE sku.sku_id = source) THEN
    RETURN NULL;
  END IF;
  SELECT jsonb_object_agg(f.key, f.value) INTO figures FROM jsonb_each(figures) AS f WHERE f.key NOT LIKE 'STORE %';
  figures := limits_spend(figures, o.store_id, o.user_id, id, false, targets, attendees, quantities);
  RETURN CASE WHEN figures ? 'reason' THEN figures END;
END $$;
REVOKE EXECUTE ON FUNCTION ledger.limits_move FROM holdfast_runtime;
