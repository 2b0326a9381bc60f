import { Redis } from 'ioredis';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { SaleScene } from './sale-scene.js';

const test = suite('Redis loads its data in the middle of a sale');
const KEYS = 30_000;
/** 15 s for all of them. */
const LOAD_DELAY_US = 500;

let sale: SaleScene;
/** Sees a Redis that loads. */
let observer: Redis;

test.before(async () => {
  sale = await SaleScene.open({
    redis: {
      args: [
        ...['--enable-debug-command', 'yes', '--key-load-delay', `${LOAD_DELAY_US}`],
        ...['--loading-process-events-interval-bytes', '1024'],
      ],
    },
  });
  observer = new Redis(sale.scene.redis.url, { enableReadyCheck: false, retryStrategy: () => 10 });
  observer.on('error', () => undefined);
});
test.after(async () => {
  observer.disconnect();
  await sale.close();
});

test('E10: while it loads nobody is told no for it, the sale goes on, and the gate is in use once it has loaded', async () => {
  let started: Promise<void> | undefined;
  await sale.sellsOn({
    fault: async ({ scene: { redis, journal } }) => {
      await journal.command('DEBUG', 'POPULATE', `${KEYS}`, 'filler', '100');
      await journal.command('SAVE');
      await redis.kill();
      started = redis.start();
      await until(isLoading);
    },
    heal: async () => {
      assert.ok(await isLoading(), 'all the time');
      await observer.config('SET', 'key-load-delay', '0');
      await started;
    },
  });
  await sale.isMended();
});

async function isLoading(): Promise<boolean> {
  return /\nloading:1\r/.test(await observer.info());
}

test.run();
