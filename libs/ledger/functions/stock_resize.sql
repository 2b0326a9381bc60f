-- Gives a sku another capacity, or with the one it has only another version. The caller holds the stock's lock.
--   id            the sku
--   new_capacity  units; what is held and sold beyond it is overbooked; what is reserved is nobody's yet and goes first
--   why, at       what the change is kept with
CREATE OR REPLACE FUNCTION ledger.stock_resize(id text, new_capacity int, why text, at timestamptz) RETURNS void
LANGUAGE sql VOLATILE
AS $$
  WITH old AS (
    SELECT s.*, s.held + s.sold AS taken FROM ledger.stock AS s WHERE s.sku_id = id
  ), resized AS (
    UPDATE ledger.stock AS s SET capacity = new_capacity, overbooked = greatest(old.taken - new_capacity, 0),
      reserved = greatest(least(old.reserved, new_capacity - old.taken), 0),
      free = greatest(new_capacity - old.taken - old.reserved, 0), version = s.version + 1
    FROM old WHERE s.sku_id = old.sku_id
    RETURNING s.*
  )
  INSERT INTO ledger.stock_changes
    (sku_id, stock_version, delta_capacity, delta_overbooked, delta_free, delta_reserved, reason, at)
  SELECT id, resized.version, resized.capacity - old.capacity, resized.overbooked - old.overbooked,
    resized.free - old.free, resized.reserved - old.reserved, why, at
  FROM old JOIN resized ON resized.sku_id = old.sku_id
  WHERE resized.capacity <> old.capacity;
$$;
REVOKE EXECUTE ON FUNCTION ledger.stock_resize FROM holdfast_runtime;
