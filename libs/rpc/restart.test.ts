import { InventoryServiceDefinition } from '#libs/contracts/gen/holdfast/inventory/v1/inventory_service.js';
import type { Fault } from '#libs/refusal/fault.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { connect } from './client.js';
import { hold, holdsCaller } from './stand-in.js';
import { startStandIn } from './stand-in-server.js';

const test = suite('restarts');
const always = { startsAfter: undefined, startsBefore: undefined };

test('H04 a client and a batch caller outlive twenty restarts of their server, half of them by SIGKILL', async () => {
  let server = await startStandIn();
  const client = connect(InventoryServiceDefinition, server.address, { defaultDeadlineMs: 1_000 });
  const caller = holdsCaller(server.address);
  const list = () => client.listSkus({ storeId: '0', pageSize: 0, pageToken: '', ...always });
  try {
    for (let restart = 0; restart < 20; restart += 1) {
      await until(async () => Number((await list()).nextPageToken) === server.pid, { timeoutMs: 5_000 });
      await caller.call(hold('0'), 5_000);
      const underWay = caller.call(hold('60000'), 10_000).catch((fault: Fault) => fault.reason);
      await until(() => caller.waiting === 0);
      await server.kill(restart % 2 === 0 ? 'SIGKILL' : 'SIGTERM');
      assert.is(await underWay, 'UNAVAILABLE');
      assert.is(await list().catch((fault: Fault) => fault.reason), 'UNAVAILABLE');
      server = await startStandIn(server.address);
    }
    await until(async () => Number((await list()).nextPageToken) === server.pid, { timeoutMs: 5_000 });
    await caller.call(hold('0'), 5_000);
  } finally {
    client.close();
    caller.close();
    await server.kill('SIGKILL');
  }
});

test.run();
