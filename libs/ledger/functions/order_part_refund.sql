-- Lets the part of a confirmed order's money go back that is for units it gave back. The caller has locked the order.
--   id    the order
--   back  minor units that the units cost    late  how much of it is retained, by the terms of their skus
--   at    when
CREATE OR REPLACE FUNCTION ledger.order_part_refund(id uuid, back bigint, late bigint, at timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  p payments%ROWTYPE;
BEGIN
  SELECT * INTO p FROM payments
  WHERE order_id = id AND state = 'CAPTURED' AND issue IS DISTINCT FROM 'UNKNOWN_ORDER' LIMIT 1;
  IF FOUND AND back > 0 THEN
    UPDATE payments SET retained_minor = least(amount_minor, retained_minor + late)
    WHERE provider = p.provider AND provider_payment_id = p.provider_payment_id;
    PERFORM refunds_add(ARRAY[p.provider], ARRAY[p.provider_payment_id], ARRAY[back - late], 'PART_CANCELLED', at);
  END IF;
END $$;
REVOKE EXECUTE ON FUNCTION ledger.order_part_refund FROM holdfast_runtime;
