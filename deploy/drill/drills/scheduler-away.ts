import type { Drill } from '../drill.js';
import type { Stage } from '../stage.js';

/** Every hold that exists is as old as if the schedulers had been away for an hour. */
const AN_HOUR_LATER = `
  WITH overdue AS (
    UPDATE ledger.orders SET expires_at = clock_timestamp() - interval '1 hour' WHERE state = 'HELD' RETURNING order_id
  ), lines AS (
    UPDATE ledger.order_lines SET held_until = clock_timestamp() - interval '1 hour'
    WHERE order_id IN (SELECT order_id FROM overdue)
  )
  INSERT INTO public.overdue SELECT order_id FROM overdue`;

const NOT_GIVEN_BACK_ONCE = `
  SELECT count(*) AS n FROM public.overdue JOIN ledger.orders USING (order_id)
  WHERE state <> 'EXPIRED'
    OR (SELECT count(*) FROM ledger.movements AS m WHERE m.order_id = orders.order_id AND m.delta_free > 0) <> 1`;

/** As if a release had no state to compare with, and were delivered twice. */
const RELEASE_TWICE = `
  ALTER TABLE ledger.stock DROP CONSTRAINT stock_is_conserved;
  CREATE FUNCTION public.release_again() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE ledger.stock SET free = free + l.quantity FROM ledger.order_lines AS l
    WHERE l.order_id = NEW.order_id AND l.sku_id = stock.sku_id;
    RETURN NULL;
  END $$;
  CREATE TRIGGER release_again AFTER UPDATE OF state ON ledger.orders FOR EACH ROW
    WHEN (NEW.state = 'EXPIRED') EXECUTE FUNCTION public.release_again()`;

export const schedulerAway: Drill = {
  name: 'scheduler-away',
  about: 'both schedulers are away, and every hold is an hour overdue when they come back together',
  recovery: 'two schedulers are started at once',
  scale: { scheduler: 2 },
  prepare: async ({ sql }) => {
    await sql('CREATE TABLE public.overdue (order_id uuid PRIMARY KEY)');
  },
  fault: async (stage) => {
    for (const index of [0, 1]) stage.signal('scheduler', index, 'SIGSTOP');
    await stage.sql(AN_HOUR_LATER);
  },
  heal: async ({ kill, mesh }) => {
    await Promise.all([kill('scheduler', 0), kill('scheduler', 1)]);
    await mesh.ready();
  },
  check: eachUnitBackOnce,
  twin: {
    without: 'the comparison with the state of the order before its units are given back: they are, twice',
    prepare: async ({ sql }) => {
      await sql(RELEASE_TWICE);
    },
  },
};

async function eachUnitBackOnce({ sql }: Stage): Promise<string[]> {
  const [all] = await sql<{ n: string }>('SELECT count(*) AS n FROM public.overdue');
  const [wrong] = await sql<{ n: string }>(NOT_GIVEN_BACK_ONCE);
  return [
    ...(all?.n === '0' ? ['no hold was overdue: nothing was tried'] : []),
    ...(wrong?.n === '0' ? [] : [`of ${all?.n} overdue holds ${wrong?.n} were not given back once`]),
  ];
}
