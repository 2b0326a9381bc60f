-- Has webhooks tell which refunds of a payment were made or withdrawn: each once. The caller has locked the payment and
-- changed them.
CREATE OR REPLACE FUNCTION ledger.refunds_end_note(of_provider text, payment_id text, at timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
BEGIN
  INSERT INTO outbox (kind, order_id, order_version, state, at, published_at, webhooks_due)
  SELECT 'REFUND_END', r.order_id, r.number, r.state, refunds_end_note.at, refunds_end_note.at,
    EXISTS (SELECT FROM webhook_endpoints)
  FROM refunds AS r WHERE r.provider = of_provider AND r.provider_payment_id = payment_id AND r.state <> 'DUE'
  ORDER BY r.number
  ON CONFLICT (order_id, kind, order_version) DO NOTHING;
END $$;
REVOKE EXECUTE ON FUNCTION ledger.refunds_end_note FROM holdfast_runtime;
