-- Entries of waitlists by their ids, with the orders that they were offered.
--   entry_ids  the ids, each once; unknown ones are left out
-- Returns one row an entry: its place in the array, from 1; its hash and what is told of it (entry_word); of the order, all
-- null without an offer: state, version, amount, currency, birth, expiry, and the unit prices of its lines; its channel.
CREATE OR REPLACE FUNCTION ledger.entries_known(entry_ids uuid[])
RETURNS TABLE (
  place int, lines_hash bytea, word jsonb, state text, version int, amount_minor bigint, currency text,
  created_at timestamptz, expires_at timestamptz, price_list text, channel text
)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = ledger, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT u.i::int, e.lines_hash, entry_word(e), o.state, o.version, o.amount_minor, o.currency,
    o.created_at, o.expires_at, (
      SELECT string_agg(l.unit_price_minor::text, ',' ORDER BY l.sku_id, l.attendee_id)
      FROM order_lines AS l WHERE l.order_id = e.order_id
    ), e.channel
  FROM unnest(entry_ids) WITH ORDINALITY AS u (entry_id, i) JOIN waitlist_entries AS e ON e.entry_id = u.entry_id
  LEFT JOIN orders AS o ON o.order_id = e.order_id;
END $$;
REVOKE EXECUTE ON FUNCTION ledger.entries_known FROM holdfast_runtime;
