import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { assert, suite } from '#libs/testing/suite.js';
import { driveHttp, wrkProgram } from './http-orders.js';
import { peopleCount } from './people.js';

const test = suite('HTTP driver');

test('every order has an attendee and a key of its own, and the token of somebody, and refusals and a yes are told apart', async () => {
  const users = new Set<unknown>();
  const keys = new Set<unknown>();
  const bodies = new Set<string>();
  let asked = 0;
  const server = createServer(async (request, response) => {
    users.add(request.headers.authorization);
    keys.add(request.headers['idempotency-key']);
    let body = '';
    for await (const chunk of request) body += chunk;
    bodies.add(body);
    asked += 1;
    response.writeHead(asked === 5 ? 201 : 409).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const heard: number[] = [];
  const begun = Date.now();
  try {
    const result = await driveHttp(await wrkProgram(() => {}), {
      ...{
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        storeId: 'store',
        skuId: 'sku',
        tag: 't',
      },
      ...{ connections: 4, seconds: 1, onYes: (atMs: number) => heard.push(atMs) },
    });
    assert.is(result.refusals, result.requests - 1);
    assert.is(result.lost, 0);
    assert.ok(result.p99Ms >= result.p50Ms && result.busyShare > 0);
  } finally {
    server.closeAllConnections();
    server.close();
  }
  assert.is(users.size, Math.min(asked, peopleCount));
  assert.is(bodies.size, asked);
  assert.is(keys.size, asked);
  const [first = '{}'] = bodies;
  const [line] = JSON.parse(first).lines;
  assert.equal([line.sku_id, line.quantity], ['sku', 1]);
  assert.is(heard.length, 1);
  assert.ok((heard[0] ?? 0) >= begun && (heard[0] ?? 0) <= Date.now());
});

test.run();
