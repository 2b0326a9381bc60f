-- How late holds were released, by the transactions that did it, which one job runs one after the other: each was
-- committed by the time at which the next one was under way.
-- $1 text: begins the id of each sku    $2 timestamptz: when the holds ended    $3 timestamptz: when none was left
SELECT count(*)::int AS holds,
  (extract(epoch FROM lead(at, 1, $3::timestamptz) OVER (ORDER BY at) - $2::timestamptz) * 1000)::float8 AS late_ms
FROM ledger.movements
WHERE starts_with(sku_id, $1) AND reason = 'EXPIRE'
GROUP BY at
