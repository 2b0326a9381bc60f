import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { assert, suite } from '#libs/testing/suite.js';
import { gateBack } from './gate-back.js';

const test = suite('drill gate back');
const PATIENT_MS = 60_000;
let inventory: Server;
/** What it says of its breaker, one after the other, and then the last of them. */
let states: number[] = [];

test.before(async () => {
  inventory = createServer((_, response) => {
    const state = states.length > 1 ? states.shift() : states[0];
    response.end(`holdfast_breaker_state{callee="stream"} 0\nholdfast_breaker_state{callee="gate"} ${state}\n`);
  });
  await once(inventory.listen(0, '127.0.0.1'), 'listening');
});
test.after(() => void inventory.close());

function stage(...others: string[]): Parameters<typeof gateBack>[0] {
  const { port } = inventory.address() as AddressInfo;
  const addresses = [`127.0.0.1:${port}`, ...others];
  return { processes: () => addresses.map((admin) => ({ pid: 1, grpc: '', http: '', admin })) };
}

test('the gate is back when its breaker is closed, not when it is half open', async () => {
  states = [2, 1, 0];
  const since = Date.now() - 5_000;
  const took = await gateBack(stage(), since, PATIENT_MS);
  assert.ok(took !== null && took >= 5_000 + 200, `${took}`);
});

test('it is not back while one inventory does not use it, or does not answer', async () => {
  states = [2];
  assert.is(await gateBack(stage(), Date.now(), 1), null);
  states = [0];
  assert.is(await gateBack(stage('127.0.0.1:1'), Date.now(), 1), null);
  assert.ok((await gateBack(stage(), Date.now(), PATIENT_MS)) !== null);
});

test.run();
