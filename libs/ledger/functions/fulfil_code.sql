-- A code to show where an order is fulfilled: 40 random bits as 8 characters of Crockford's base 32, which has no I, L, O
-- and U. One that its store has already is refused by the index orders_by_code: who writes it tries again.
CREATE OR REPLACE FUNCTION ledger.fulfil_code() RETURNS text
LANGUAGE sql VOLATILE
AS $$
  SELECT string_agg(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + get_byte(r.bytes, place) % 32, 1), '')
  FROM (SELECT uuid_send(gen_random_uuid()) AS bytes) AS r,
    -- Bytes 6 and 8 say which kind of uuid it is.
    unnest(ARRAY[0, 1, 2, 3, 4, 5, 9, 10]) AS place
$$;
