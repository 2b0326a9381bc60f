-- Keeps what a look found as a plan, raises alerts for it, and clears those whose cause is gone.
--   of_fence               the look's number
--   request, by_whom       the request's id, and an operator or 'scheduler'
--   looked_skus, looked_orders   how many were looked at
--   findings               the findings that are kept, in order: kind, sku_id, order_id, detail, remedy, mended
--   found_count, mended_count    of all, also those that are not kept
--   raised                 alerts: kind, subject, sku_id, facts, command, in which {plan} stands for the plan's id
--   is_all                 whether everything was looked at and all findings are kept: then alerts that are not raised
--                          now have lost their cause
-- Returns the plan's id; null, and keeps nothing, when a newer look has begun. The same request again gets its own plan.
-- What nobody applied is kept for seven days.
CREATE OR REPLACE FUNCTION ledger.reconcile_finish(
  of_fence bigint, request text, by_whom text, looked_skus int, looked_orders bigint, findings jsonb, found_count int,
  mended_count int, raised jsonb, is_all boolean
) RETURNS bigint
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  kept_for CONSTANT interval := '7 days';
  at timestamptz;
  plan bigint;
BEGIN
  PERFORM FROM reconcile_fence AS f WHERE f.is_only AND f.fence = of_fence FOR SHARE;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  at := clock();
  INSERT INTO reconcile_plans (state, fence, made_at, made_by, request_id, skus, orders, findings_count, mended)
  VALUES (CASE WHEN found_count > mended_count THEN 'OPEN' ELSE 'CLEAN' END, of_fence, at, by_whom, request,
    looked_skus, looked_orders, found_count, mended_count)
  ON CONFLICT (request_id) DO NOTHING RETURNING id INTO plan;
  IF plan IS NULL THEN
    RETURN (SELECT p.id FROM reconcile_plans AS p WHERE p.request_id = request);
  END IF;
  INSERT INTO reconcile_findings (plan_id, place, kind, sku_id, order_id, detail, remedy, mended)
  SELECT plan, f.place, f.finding ->> 'kind', f.finding ->> 'sku_id', (f.finding ->> 'order_id')::uuid,
    f.finding -> 'detail', f.finding ->> 'remedy', (f.finding ->> 'mended')::boolean
  FROM jsonb_array_elements(findings) WITH ORDINALITY AS f (finding, place);

  PERFORM alert_raise(a ->> 'kind', a ->> 'subject', a ->> 'sku_id', a -> 'facts',
    replace(a ->> 'command', '{plan}', plan::text))
  FROM jsonb_array_elements(raised) AS a;
  IF is_all THEN
    PERFORM alert_clear(a.kind, a.subject, 'system', 'plan ' || plan || ' found it no more')
    FROM alerts AS a LEFT JOIN stock AS s ON s.sku_id = a.sku_id
    WHERE a.cleared_at IS NULL AND a.kind IN ('DRIFT', 'MONEY_UNACCOUNTED', 'OVERSOLD')
      -- Units that were sold twice stay so until enough of them have come back.
      AND (a.kind <> 'OVERSOLD' OR s.sku_id IS NULL OR s.reserved + s.held + s.sold <= s.capacity)
      AND NOT EXISTS (
        SELECT FROM jsonb_array_elements(raised) AS r
        WHERE r ->> 'kind' = a.kind AND r ->> 'subject' = a.subject);
  END IF;

  WITH old AS (
    DELETE FROM reconcile_plans AS p WHERE p.state <> 'APPLIED' AND p.made_at < at - kept_for RETURNING p.id
  )
  DELETE FROM reconcile_findings AS f USING old WHERE f.plan_id = old.id;
  RETURN plan;
END $$;
