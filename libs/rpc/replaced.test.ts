import dns from 'node:dns/promises';
import { syncBuiltinESMExports } from 'node:module';
import { InventoryServiceDefinition } from '#libs/contracts/gen/holdfast/inventory/v1/inventory_service.js';
import { freePort } from '#libs/servers/free-port.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { connect } from './client.js';
import { hold, holdsCaller } from './stand-in.js';
import { type ServerProcess, startStandIn } from './stand-in-server.js';

const test = suite('rolling upgrades');
const { lookup } = dns;

test.after(() => answerWith(lookup));

test('H06 when every address behind a name is replaced at once, calls and streams go to the new ones', async () => {
  const port = await freePort();
  const named = (...hosts: string[]): void => answerWith(async () => hosts.map((address) => ({ address, family: 4 })));
  const start = (hosts: string[]): Promise<ServerProcess[]> =>
    Promise.all(hosts.map((host) => startStandIn(`${host}:${port}`)));

  const old = ['127.0.0.2', '127.0.0.3'];
  const fresh = ['127.0.0.4', '127.0.0.5'];
  named(...old);
  const before = await start(old);
  const client = connect(InventoryServiceDefinition, `dns:mesh.test:${port}`, { defaultDeadlineMs: 1_000 });
  const caller = holdsCaller(`dns:mesh.test:${port}`);
  const always = { storeId: '0', pageSize: 0, pageToken: '', startsAfter: undefined, startsBefore: undefined };
  const answeredBy = async (): Promise<number> => Number((await client.listSkus(always)).nextPageToken);
  let after: ServerProcess[] = [];
  try {
    await until(async () => (await answeredBy().catch(() => 0)) > 0);
    await caller.call(hold('0'), 5_000);
    after = await start(fresh);
    named(...fresh);
    await Promise.all(before.map((server) => server.kill('SIGKILL')));
    const pids = after.map(({ pid }) => pid);
    // The name is asked again every five seconds.
    await until(async () => pids.includes(await answeredBy().catch(() => 0)), { timeoutMs: 15_000 });
    assert.is((await caller.call(hold('0'), 15_000)).outcome?.$case, 'pending');
  } finally {
    client.close();
    caller.close();
    await Promise.all([...before, ...after].map((server) => server.kill('SIGKILL')));
  }
});

function answerWith(ask: unknown): void {
  Object.assign(dns, { lookup: ask });
  syncBuiltinESMExports();
}

test.run();
