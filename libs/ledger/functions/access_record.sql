-- Keeps what a gateway answered. It may lose the last records when Postgres dies, so that nobody waits for the disk.
--   of_instance  the gateway
--   records      [{at, took_ms, store_id, user_id, sku_ids, request_id, order_id, answer, is_replay, weight}]
CREATE OR REPLACE FUNCTION ledger.access_record(of_instance text, records jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  INSERT INTO access_records (at, took_ms, store_id, user_id, sku_ids, request_id, order_id, answer, is_replay, weight,
    instance)
  SELECT r.at, r.took_ms, r.store_id, r.user_id, r.sku_ids, r.request_id, r.order_id, r.answer, r.is_replay, r.weight,
    of_instance
  FROM jsonb_to_recordset(records) AS r (at timestamptz, took_ms int, store_id text, user_id text, sku_ids text[],
    request_id text, order_id uuid, answer text, is_replay boolean, weight double precision);
END $$;
