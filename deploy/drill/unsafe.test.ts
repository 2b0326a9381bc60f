import { execFileSync } from 'node:child_process';
import { testLedger } from '#libs/ledger/test-ledger.js';
import { assert, suite } from '#libs/testing/suite.js';
import { natsAckLost } from './drills/nats-ack-lost.js';
import { redisRewind } from './drills/redis-rewind.js';
import type { Stage } from './stage.js';
import { rewritten, wrapping } from './unsafe.js';

const test = suite('unsafe twins');

test('a protection is taken away where it stands exactly once, else nothing is', () => {
  assert.is(rewritten('IF a THEN b', 'IF a', 'IF false'), 'IF false THEN b');
  assert.throws(() => rewritten('nothing', 'IF a', ''), /"IF a" is there 0 times, not once/);
  assert.throws(() => rewritten('IF a; IF a', 'IF a', ''), /is there 2 times/);
});

test('a service loads a module with one export replaced, and the others as they are', () => {
  const module = new URL('../../libs/contracts/order-id.js', import.meta.url).href;
  const program = `
    const { orderId, storeHash } = await import(${JSON.stringify(module)});
    const id = () => orderId('store', 'ann', 'key');
    console.log(JSON.stringify([id() === id(), storeHash('store')]));`;
  const [same, hash] = run(program, {});
  const env = wrapping('libs/contracts/order-id.js', 'orderId', 'drawn-order-id.js');
  assert.equal(run(program, env), [false, hash]);
  assert.is(same, true);
});

for (const { name, twin } of [natsAckLost, redisRewind]) {
  test(`the twin of ${name} finds what it takes away from the ledger`, async () => {
    const db = await testLedger();
    await twin?.prepare?.({ sql: db.sql } as Stage);
    await db.drop();
  });
}

function run(program: string, env: Record<string, string>): unknown[] {
  const args = ['--input-type=module', '--eval', program];
  const said = execFileSync(process.execPath, args, { env: { ...process.env, ...env }, encoding: 'utf8' });
  return JSON.parse(said) as unknown[];
}

test.run();
