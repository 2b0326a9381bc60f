-- How many wait ahead of some entries, as each is read alone.
-- $1 uuid[]: the entries
SELECT id::text AS entry_id, (e.entry_row->>'people_ahead')::int AS people_ahead
FROM unnest($1::uuid[]) AS id CROSS JOIN LATERAL ledger.waitlist_entry_get(id, NULL, NULL, NULL) AS e
