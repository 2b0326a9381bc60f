-- Of all rows of the ledger the share that no reader can see any more, and the bytes of the stock, whose rows are only
-- ever updated.
SELECT coalesce(sum(n_dead_tup) / nullif(sum(n_live_tup + n_dead_tup), 0), 0)::float8 AS dead_share,
  pg_total_relation_size('ledger.stock')::float8 AS stock_bytes,
  (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database())::float8 AS connections
FROM pg_stat_user_tables WHERE schemaname = 'ledger'
