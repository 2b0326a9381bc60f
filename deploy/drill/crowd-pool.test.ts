import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { CrowdPool } from './crowd-pool.js';

const test = suite('crowd pool');
const servers: Server[] = [];

/** An HTTP edge with its admin port in one. */
async function edge(
  name: string,
): Promise<{ http: string; admin: string; ready: boolean; breaks: boolean; asked: number }> {
  const one = { http: '', admin: '', ready: true, breaks: false, asked: 0 };
  const server = createServer((request, response) => {
    if (request.url === '/readyz') {
      response.writeHead(one.ready ? 200 : 503).end();
      return;
    }
    one.asked += 1;
    if (one.breaks) request.socket.destroy();
    const body = JSON.stringify({ order_id: name, state: 'HELD' });
    response.writeHead(201, { 'content-length': body.length }).end(body);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  one.admin = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  one.http = `http://${one.admin}`;
  return one;
}
test.after(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

const ask = (pool: CrowdPool) => pool.ask({ method: 'POST', path: '/v1/orders', headers: {}, timeoutMs: 5_000 });

test('requests go in turn to the edges that say they are ready', async () => {
  const [one, two] = [await edge('one'), await edge('two')];
  const pool = new CrowdPool([one, two], 10);
  try {
    for (let times = 0; times < 4; times += 1) await ask(pool);
    assert.equal([one.asked, two.asked], [2, 2]);
    one.ready = false;
    await until(async () => {
      const before = one.asked;
      await ask(pool);
      await ask(pool);
      return one.asked === before;
    });
  } finally {
    pool.close();
  }
});

test('every answer is remembered, and so is a broken connection', async () => {
  const one = await edge('one');
  const pool = new CrowdPool([one], 10);
  try {
    await ask(pool);
    one.breaks = true;
    await ask(pool).catch(() => undefined);
    assert.equal(
      pool.sights.map(({ kind, method }) => [kind, method]),
      [
        ['HELD', 'POST'],
        ['AGAIN', 'POST'],
      ],
    );
    assert.ok(pool.sights.every(({ sentAt, at }) => sentAt <= at));
  } finally {
    pool.close();
  }
});

test.run();
