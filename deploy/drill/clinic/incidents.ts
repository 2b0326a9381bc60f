import { asOperator } from '../operator.js';
import type { Stage } from '../stage.js';
import { type Day, type DayPlan, isQuiet, STORE } from './day-plan.js';

/** Something that happens to the clinic, at a minute of the day. */
export interface Incident {
  at: number;
  what: string;
  act(stage: Stage): Promise<void>;
}

const MORE = 5;
const FEWER = 3;
/** How long Redis is away, in minutes. */
const AWAY = 15;

/** What happens on that day, besides patients. Where a day is shorter, it comes sooner. */
export function incidentsOf({ lastSlot }: DayPlan, { slots }: Day): Incident[] {
  // Begins late, has three units, and is waited for.
  const index = slots.findLastIndex(({ capacity }, at) => capacity > 1 && !isQuiet(at));
  const { skuId, capacity } = slots[index] ?? { skuId: '', capacity: 0 };
  const resize = (units: number) => (stage: Stage) =>
    asOperator(stage, (operator) => operator.setCapacity({ storeId: STORE, skuId, capacity: units }));
  const switchTo = (path: 'AUTO' | 'POSTGRES') => (stage: Stage) =>
    asOperator(stage, (operator) => operator.switchTo(path));
  const hour = lastSlot / 8;
  const noon = 4 * hour;
  return [
    { at: 1.5 * hour, what: `${skuId} has ${MORE} more units`, act: resize(capacity + MORE) },
    { at: 2 * hour, what: 'the stock path is switched to POSTGRES', act: switchTo('POSTGRES') },
    { at: 2.5 * hour, what: 'the stock path is switched back to AUTO', act: switchTo('AUTO') },
    { at: 3 * hour, what: `${skuId} has ${FEWER} units fewer`, act: resize(capacity + MORE - FEWER) },
    { at: noon, what: 'Redis is killed', act: ({ servers }) => servers.redis.kill() },
    { at: noon + AWAY, what: 'Redis is started again', act: ({ servers }) => servers.redis.start() },
  ];
}
