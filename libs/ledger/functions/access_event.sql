-- A record of an answer as an event of a story, with request_id, answer, took_ms, instance, is_replay and weight.
CREATE OR REPLACE FUNCTION ledger.access_event(a ledger.access_records)
RETURNS TABLE (at timestamptz, order_id uuid, what text, facts jsonb, place int)
LANGUAGE sql IMMUTABLE
AS $$
  SELECT a.at, a.order_id, 'ASKED', jsonb_build_object('request_id', a.request_id, 'answer', a.answer,
    'took_ms', a.took_ms, 'instance', a.instance, 'is_replay', a.is_replay, 'weight', a.weight), 0
$$;
REVOKE EXECUTE ON FUNCTION ledger.access_event FROM holdfast_runtime;
