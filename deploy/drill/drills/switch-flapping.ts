import { setTimeout as pause } from 'node:timers/promises';
import type { Drill } from '../drill.js';
import { asOperator } from '../operator.js';

const FLIPS = { times: 20, everyMs: 200 };
/** Each way: one of the two inventories hears of every switch so much later, and the other at once. */
const LATE_MS = 150;

export const switchFlapping: Drill = {
  name: 'switch-flapping',
  about: `the stock path is switched every ${FLIPS.everyMs} ms, and half of the inventories hear of it late`,
  recovery: 'the switch stays on AUTO',
  scale: { inventory: 2 },
  envOf: ({ spareLinks, servers }) => {
    return (service, index): Record<string, string> =>
      service === 'inventory' && index === 1 ? { DATABASE_URL: spareLinks.postgres.url(servers.postgres.url) } : {};
  },
  fault: (stage) => {
    stage.spareLinks.postgres.delay(LATE_MS);
    return asOperator(stage, async (operator) => {
      for (let flip = 1; flip <= FLIPS.times; flip += 1) {
        await operator.switchTo(flip % 2 === 1 ? 'POSTGRES' : 'AUTO');
        await pause(FLIPS.everyMs);
      }
    });
  },
  heal: ({ spareLinks }) => spareLinks.postgres.heal(),
};
