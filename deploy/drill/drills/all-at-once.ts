import { setTimeout as pause } from 'node:timers/promises';
import { SERVICE_NAMES } from '../../local/topology.js';
import { type Random, seededRandom } from '../../rush/random.js';
import type { Drill } from '../drill.js';
import type { Stage } from '../stage.js';

const LASTS_MS = 60_000;
/** Of each fault, and of the rest before it. */
const FAULT_MS = { min: 500, max: 3_000 };
const REST_MS = { min: 200, max: 1_500 };

/** A fault, and what ends it; without that it is over at once. */
interface Blow {
  name: string;
  strike(stage: Stage): Promise<void> | void;
  mend?(stage: Stage): Promise<void> | void;
}

/** What may happen to a server and to the network before it, and leaves its data alone. */
function blowsTo(server: 'redis' | 'nats' | 'postgres', delayMs: number): Blow[] {
  const heal = ({ links }: Stage): void => links[server].heal();
  return [
    {
      name: `${server} is killed`,
      strike: (on) => on.servers[server].kill(),
      mend: (on) => on.servers[server].start(),
    },
    {
      name: `${server} stands still`,
      strike: (on) => on.servers[server].freeze(),
      mend: (on) => on.servers[server].thaw(),
    },
    { name: `${server} is slow`, strike: ({ links }) => links[server].delay(delayMs), mend: heal },
    { name: `replies of ${server} are lost`, strike: ({ links }) => links[server].dropReplies(), mend: heal },
    { name: `${server} is cut off`, strike: ({ links }) => links[server].cut(), mend: heal },
  ];
}

/** Each hand strikes one thing at a time, so that two are broken at most. Only Redis ever loses data. */
const HANDS: Blow[][] = [
  [
    ...blowsTo('redis', 150),
    ...blowsTo('nats', 150),
    {
      name: 'redis loses every key',
      strike: async ({ redis }) => {
        await redis.flushall();
      },
    },
  ],
  [
    ...blowsTo('postgres', 250),
    ...SERVICE_NAMES.map((service): Blow => ({ name: `${service}-1 is killed`, strike: (on) => on.kill(service, 0) })),
    ...SERVICE_NAMES.map((service): Blow => ({ name: `${service}-2 is killed`, strike: (on) => on.kill(service, 1) })),
  ],
];

export const allAtOnce: Drill = {
  name: 'all-at-once',
  about: `for ${LASTS_MS / 1_000} s one thing after the other breaks, two at a time, as a seed has it`,
  recovery: 'everything is whole again',
  scale: { inventory: 2, order: 2, scheduler: 2, gateway: 2, bff: 2 },
  plan: { perSecond: 30, faultMs: LASTS_MS, afterMs: 5_000 },
  fault: async (stage, { seed }) => {
    const until = Date.now() + LASTS_MS;
    await Promise.all(HANDS.map((blows, hand) => strikeOn(stage, blows, seededRandom(2 * seed + hand), until)));
  },
  heal: ({ mesh }) => mesh.ready(),
};

async function strikeOn(stage: Stage, blows: readonly Blow[], random: Random, until: number): Promise<void> {
  while (Date.now() < until) {
    const blow = blows[random.integer(0, blows.length - 1)];
    const [restMs, lastsMs] = [REST_MS, FAULT_MS].map(({ min, max }) => random.integer(min, max));
    await pause(restMs);
    stage.story.note(`${blow?.name}, for ${lastsMs} ms`);
    await blow?.strike(stage);
    if (!blow?.mend) continue;
    await pause(lastsMs);
    await blow.mend(stage);
  }
}
