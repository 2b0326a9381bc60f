-- Until when tries may have begun that no mark knows of: the edge could not ask for marks, or has none. Whoever is told
-- no without a row must be younger than all of them. One row.
CREATE TABLE ledger.unmarked (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  until timestamptz
);
INSERT INTO ledger.unmarked (until) VALUES (NULL);

-- It takes the asking users, too: its arguments are others from now on.
DROP FUNCTION IF EXISTS ledger.parked_read(text[], uuid[], text[], text[]);
