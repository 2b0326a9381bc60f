-- Takes every check off the stock, as where nobody wrote one.
DO $$
DECLARE
  checked record;
BEGIN
  FOR checked IN SELECT conname FROM pg_constraint WHERE conrelid = 'ledger.stock'::regclass AND contype = 'c' LOOP
    EXECUTE format('ALTER TABLE ledger.stock DROP CONSTRAINT %I', checked.conname);
  END LOOP;
END
$$
