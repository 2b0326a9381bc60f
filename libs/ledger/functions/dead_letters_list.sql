-- Dead letters without their messages, newest first.
--   with_resolved  also those that somebody has seen to
--   before_id      the last letter of the page before; null: from the newest
--   at_most        rows
CREATE OR REPLACE FUNCTION ledger.dead_letters_list(with_resolved boolean, before_id bigint, at_most int)
RETURNS TABLE (
  id bigint, order_id uuid, subject text, error text, at timestamptz, resolved_at timestamptz, resolution text,
  resolved_by text, resolved_reason text
)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  upto CONSTANT bigint := coalesce(before_id, 9223372036854775807);
BEGIN
  -- One statement for each, so that each has its own index.
  IF with_resolved THEN
    RETURN QUERY SELECT d.id, d.order_id, d.subject, d.error, d.at, d.resolved_at, d.resolution, d.resolved_by,
      d.resolved_reason
    FROM dead_letters AS d WHERE d.id < upto ORDER BY d.id DESC LIMIT at_most;
  ELSE
    RETURN QUERY SELECT d.id, d.order_id, d.subject, d.error, d.at, d.resolved_at, d.resolution, d.resolved_by,
      d.resolved_reason
    FROM dead_letters AS d WHERE d.resolved_at IS NULL AND d.id < upto ORDER BY d.id DESC LIMIT at_most;
  END IF;
END $$;
