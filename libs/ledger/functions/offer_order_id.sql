-- The id of the order that an entry of a waitlist is offered: a UUIDv8 whose bytes 0-1 are the entry's, so that it
-- names the same shard, and whose bytes 2-15 are the first 14 of the SHA-256 over the entry's 16 bytes; version and
-- variant are set over them.
CREATE OR REPLACE FUNCTION ledger.offer_order_id(entry_id uuid) RETURNS uuid
LANGUAGE sql IMMUTABLE
AS $$
  SELECT encode(set_byte(set_byte(d.id, 6, get_byte(d.id, 6) & 15 | 128), 8, get_byte(d.id, 8) & 63 | 128), 'hex')::uuid
  FROM (
    SELECT substr(uuid_send(entry_id), 1, 2) || substr(sha256(uuid_send(entry_id)), 1, 14) AS id
  ) AS d
$$;
