import { StatusServiceDefinition } from '#libs/contracts/gen/holdfast/status/v1/status_service.js';
import { Fault } from '#libs/refusal/fault.js';
import { createLogger } from '#libs/runtime/logger.js';
import { freePort } from '#libs/servers/free-port.js';
import { assert, suite } from '#libs/testing/suite.js';
import { EachAddress } from './each-address.js';
import { type RpcServer, startServer } from './server.js';
import { implement } from './service.js';

const test = suite('each address');

function start(): Promise<RpcServer> {
  let asked = 0;
  const service = implement(StatusServiceDefinition, {
    async getStatus() {
      asked += 1;
      return { status: { instance: `asked ${asked}`, service: '', version: '', ...nothing } };
    },
  });
  const logger = createLogger('test', 'silent');
  return startServer({ address: '127.0.0.1:0', services: [service], logger, reflection: false });
}

const nothing = { startedAt: undefined, servers: [], pools: [], stock: undefined, orders: undefined };

test('every address is asked, each by itself, and what one of them says is told by its address', async () => {
  const [first, second, away] = [await start(), await start(), `127.0.0.1:${await freePort()}`];
  const target = [first.address, away, second.address].join();
  const each = new EachAddress(StatusServiceDefinition, target, { defaultDeadlineMs: 20_000 });
  const ask = () =>
    each.ask(async (client, address) => {
      const said = await client.getStatus({}).catch((fault: Fault) => fault);
      return [address, said instanceof Fault ? said.reason : said.status?.instance];
    });
  assert.equal(await ask(), [
    [first.address, 'asked 1'],
    [away, 'UNAVAILABLE'],
    [second.address, 'asked 1'],
  ]);
  assert.equal((await ask())[2], [second.address, 'asked 2']);
  each.close();
  await Promise.all([first.drain(), second.drain()]);
});

test.run();
