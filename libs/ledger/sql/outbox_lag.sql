-- How many events are unpublished, and since when the oldest is.
SELECT count(*)::int AS events, min(x.at) AS oldest_at FROM (
  SELECT at FROM ledger.outbox WHERE published_at IS NULL ORDER BY id LIMIT 100000
) AS x;
