-- The units of a sku in words, for the record of what operators change.
CREATE OR REPLACE FUNCTION ledger.reconcile_words(units ledger.stock) RETURNS text
LANGUAGE sql STABLE
RETURN format('%s free, %s reserved, %s held, %s sold, %s overbooked', units.free, units.reserved, units.held,
  units.sold, units.overbooked);
