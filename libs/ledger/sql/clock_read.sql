-- The clock that decides.
SELECT ledger.clock() AS now;
