-- What a refused user has already is told by limit_refusal.
DROP FUNCTION IF EXISTS ledger.own_order(text, text, text);
