import type { Drill } from '../drill.js';
import { asOperator } from '../operator.js';
import { HOTTEST } from '../sale-plan.js';

/** So slow that one sku's orders alone are more than the ledger can take. */
const SLOW_ROWS = `
  CREATE FUNCTION public.be_slow() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_sleep(0.1);
    RETURN NULL;
  END $$;
  CREATE TRIGGER be_slow AFTER INSERT ON ledger.order_lines FOR EACH ROW
    WHEN (NEW.sku_id = '${HOTTEST}') EXECUTE FUNCTION public.be_slow()`;
const NO_LIMIT = 1_000_000;

export const limitsStopBleeding: Drill = {
  name: 'limits-stop-bleeding',
  about: `every line of ${HOTTEST} costs Postgres 100 ms, and more are wanted than it can take`,
  recovery: 'an operator lowers the limit of the sku, which stops the bleeding; then Postgres is fast again',
  plan: { faultMs: 13_000, actAfterMs: 2_000 },
  fault: async ({ sql }) => {
    await sql(SLOW_ROWS);
  },
  act: (stage) => asOperator(stage, (operator) => operator.limit(HOTTEST, 1)),
  heal: async (stage) => {
    await stage.sql('DROP TRIGGER be_slow ON ledger.order_lines');
    await asOperator(stage, (operator) => operator.limit(HOTTEST, NO_LIMIT));
  },
};
