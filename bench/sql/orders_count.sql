-- How many orders a ledger has.
SELECT count(*)::int AS orders FROM ledger.orders
