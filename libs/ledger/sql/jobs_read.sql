-- Every job that ever ran, by name.
SELECT * FROM ledger.jobs ORDER BY name;
