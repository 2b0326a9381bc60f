-- The relay counts what the changes that it told gave back: outbox_take says how units moved, outbox_mark_published which
-- rows were not noted before.
DROP FUNCTION IF EXISTS ledger.outbox_take(int);
DROP FUNCTION IF EXISTS ledger.outbox_mark_published(bigint[]);
