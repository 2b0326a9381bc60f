-- A payment as the services read it: its row, how much of it is to go back or went back (refund_minor), and the last
-- refund that was done (refund_id, refunded_at).
CREATE OR REPLACE FUNCTION ledger.payment_json(payment ledger.payments) RETURNS json
LANGUAGE sql STABLE
AS $$
  SELECT row_to_json(p) FROM (
    SELECT (payment).*, coalesce(sum(r.amount_minor) FILTER (WHERE r.state <> 'WITHDRAWN'), 0) AS refund_minor,
      (array_agg(r.refund_id ORDER BY r.number DESC) FILTER (WHERE r.state = 'DONE'))[1] AS refund_id,
      max(r.refunded_at) AS refunded_at
    FROM ledger.refunds AS r
    WHERE r.provider = (payment).provider AND r.provider_payment_id = (payment).provider_payment_id
  ) AS p
$$;
