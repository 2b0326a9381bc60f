-- Payments that a person may want to look at, the oldest first: with an issue, not settled by anybody, and not gone back by
-- themselves.
--   of_store    the store; null: all of them, and money of unknown orders
--   after_at, after_provider, after_payment   the last one of the page before; null: from the oldest
--   at_most     rows
-- Returns payments as payment_json gives them.
CREATE OR REPLACE FUNCTION ledger.money_issues_list(
  of_store text, after_at timestamptz, after_provider text, after_payment text, at_most int
) RETURNS TABLE (payment_row json)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
BEGIN
  RETURN QUERY SELECT payment_json(p) FROM payments AS p
  WHERE p.issue IS NOT NULL AND p.settled_at IS NULL AND (p.state <> 'REFUNDED' OR p.issue = 'CONTRADICTED')
    AND (of_store IS NULL OR p.store_id = of_store)
    AND (p.at, p.provider, p.provider_payment_id)
      > (coalesce(after_at, '-infinity'), coalesce(after_provider, ''), coalesce(after_payment, ''))
  ORDER BY p.at, p.provider, p.provider_payment_id LIMIT at_most;
END $$;
