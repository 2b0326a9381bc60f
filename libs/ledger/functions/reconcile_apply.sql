-- Does what a plan says, once, in one transaction: locks the skus, finds again, and repairs when it finds the same.
--   of_plan            the plan
--   why, who, request  reason, operator, and the request's id
-- Returns what became of it:
--   APPLIED     now, earlier, or by this same request; nothing happens twice
--   CLEAN       there is nothing to repair
--   STALE       it is older than 15 minutes, or things are not as it found them
--   REUSED      the request applied another plan
--   NOT_FOUND   there is no such plan
-- Raises data_corrupted when something would still not fit afterwards: nothing has happened then.
CREATE OR REPLACE FUNCTION ledger.reconcile_apply(of_plan bigint, why text, who text, request text) RETURNS text
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = ledger, pg_temp
SET enable_seqscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  valid_for CONSTANT interval := '15 minutes';
  at timestamptz;
  plan reconcile_plans%ROWTYPE;
  named text[]; told uuid[]; orphans uuid[]; locked text[];
  violations text[]; sku_ids text[]; order_ids uuid[]; details jsonb[];
  before stock[];
  known text;
BEGIN
  SELECT * INTO plan FROM reconcile_plans AS p WHERE p.id = of_plan FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN 'NOT_FOUND';
  END IF;
  SELECT c.was INTO known FROM control_changes AS c WHERE c.what = 'RECONCILE' AND c.request_id = request;
  IF known NOT LIKE format('plan %s:%%', of_plan) THEN
    RETURN 'REUSED';
  ELSIF plan.state <> 'OPEN' THEN
    RETURN plan.state;
  END IF;

  SELECT array_agg(DISTINCT f.sku_id) FILTER (WHERE f.kind NOT IN ('EVENT_MISSING', 'MOVEMENT_WITHOUT_LINE')),
    array_agg(DISTINCT f.order_id) FILTER (WHERE f.kind = 'EVENT_MISSING'),
    array_agg(DISTINCT f.order_id) FILTER (WHERE f.kind = 'MOVEMENT_WITHOUT_LINE'),
    array_agg(DISTINCT f.sku_id)
  INTO named, told, orphans, locked
  FROM reconcile_findings AS f WHERE f.plan_id = of_plan AND f.remedy <> '' AND NOT f.mended;
  PERFORM FROM stock AS s WHERE s.sku_id = ANY (locked || ARRAY(
      SELECT l.sku_id FROM order_lines AS l WHERE l.order_id = ANY (told)))
  ORDER BY s.sku_id FOR NO KEY UPDATE;
  at := clock();
  before := ARRAY(SELECT s FROM stock AS s WHERE s.sku_id = ANY (locked) ORDER BY s.sku_id);
  SELECT array_agg(f.violation), array_agg(f.sku_id), array_agg(f.order_id), array_agg(f.detail)
  INTO violations, sku_ids, order_ids, details
  FROM reconcile_again(coalesce(named, '{}'), coalesce(told, '{}'), coalesce(orphans, '{}')) AS f;

  IF plan.made_at < at - valid_for OR reconcile_differs(of_plan, violations, sku_ids, order_ids, details) THEN
    UPDATE reconcile_plans AS p SET state = 'STALE' WHERE p.id = of_plan;
    RETURN 'STALE';
  END IF;
  PERFORM reconcile_repair(violations, sku_ids, order_ids, details, at);
  IF EXISTS (SELECT FROM reconcile_again(coalesce(named, '{}'), coalesce(told, '{}'), coalesce(orphans, '{}'))) THEN
    RAISE data_corrupted USING MESSAGE = 'reconcile_apply: after the repair something would not fit yet';
  END IF;

  UPDATE reconcile_plans AS p SET state = 'APPLIED', applied_at = at, applied_by = who WHERE p.id = of_plan;
  INSERT INTO control_changes (what, scope, scope_id, was, became, reason, changed_by, changed_at, request_id)
  VALUES ('RECONCILE', 'ALL', '', format('plan %s: open, %s findings', of_plan, plan.findings_count - plan.mended),
    format('applied, %s repaired', coalesce(cardinality(violations), 0)), why, who, at, request);
  INSERT INTO control_changes (what, scope, scope_id, was, became, reason, changed_by, changed_at, request_id)
  SELECT 'RECONCILE', 'SKU', s.sku_id, reconcile_words(b), reconcile_words(s), why, who, at, request || '/' || s.sku_id
  FROM unnest(before) AS b JOIN stock AS s ON s.sku_id = b.sku_id;

  PERFORM alert_raise('OVERSOLD', s.sku_id, s.sku_id,
    jsonb_build_object('capacity', s.capacity, 'overbooked', s.overbooked, 'held', s.held, 'sold', s.sold),
    'holdfast prove ' || s.sku_id)
  FROM unnest(before) AS b JOIN stock AS s ON s.sku_id = b.sku_id WHERE s.overbooked > b.overbooked;
  PERFORM alert_clear('DRIFT', s.sku_id, 'system', format('plan %s was applied', of_plan))
  FROM unnest(before) AS s
  WHERE NOT EXISTS (
    SELECT FROM reconcile_findings AS f
    WHERE f.plan_id = of_plan AND f.sku_id = s.sku_id AND f.remedy = '' AND NOT f.mended);
  RETURN 'APPLIED';
END $$;
