import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { assert, suite } from '#libs/testing/suite.js';
import { driveHttpOpen } from './drive.js';
import { driveHttp, wrkProgram } from './http-orders.js';
import { peopleCount } from './people.js';

const test = suite('HTTP drivers');

/** What an edge was asked for, which answers the n-th request with `statusOf(n)`. */
class Edge {
  readonly users = new Set<unknown>();
  readonly keys = new Set<unknown>();
  readonly bodies = new Set<string>();
  asked = 0;
  readonly #server: Server;

  constructor(statusOf: (n: number) => number) {
    this.#server = createServer(async (request, response) => {
      this.users.add(request.headers.authorization);
      this.keys.add(request.headers['idempotency-key']);
      let body = '';
      for await (const chunk of request) body += chunk;
      this.bodies.add(body);
      this.asked += 1;
      response.writeHead(statusOf(this.asked), { 'content-length': 2 }).end('{}');
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get lines(): { sku_id: string; quantity: number }[] {
    return [...this.bodies].flatMap((body) => JSON.parse(body).lines);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

async function driven(edge: Edge, skuId: string, onYes?: (atMs: number) => void) {
  const url = await edge.listen();
  try {
    const load = { storeId: 'store', skuId, tag: 't', connections: 4, seconds: 1, ...(onYes && { onYes }) };
    return await driveHttp(await wrkProgram(() => {}), { url, ...load });
  } finally {
    edge.close();
  }
}

test('every order has an attendee and a key of its own, and the token of somebody, and refusals and a yes are told apart', async () => {
  const edge = new Edge((n) => (n === 5 ? 201 : 409));
  const heard: number[] = [];
  const begun = Date.now();
  const result = await driven(edge, 'sku', (atMs) => heard.push(atMs));
  assert.is(result.refusals, result.requests - 1);
  assert.is(result.lost, 0);
  assert.ok(result.p99Ms >= result.p50Ms && result.busyShare > 0);
  assert.is(edge.users.size, Math.min(edge.asked, peopleCount));
  assert.is(edge.bodies.size, edge.asked);
  assert.is(edge.keys.size, edge.asked);
  const [line] = edge.lines;
  assert.equal([line?.sku_id, line?.quantity], ['sku', 1]);
  assert.is(heard.length, 1);
  assert.ok((heard[0] ?? 0) >= begun && (heard[0] ?? 0) <= Date.now());
});

test('a thousand skus take turns', async () => {
  const edge = new Edge(() => 201);
  const { requests } = await driven(edge, 'sku-####-x');
  assert.is(edge.bodies.size, edge.asked);
  const skuIds = new Set(edge.lines.map((line) => line.sku_id));
  assert.is(skuIds.size, Math.min(edge.asked, 1_000), `${requests} requests`);
  assert.ok(skuIds.has('sku-0001-x'));
});

test('in an open loop orders are sent at their times, each once, and each outcome is told', async () => {
  const edge = new Edge((n) => (n === 7 ? 409 : n === 8 ? 202 : 201));
  const url = await edge.listen();
  try {
    const phases = [
      { perSecond: 100, ms: 500 },
      { perSecond: 200, ms: 500 },
    ];
    const result = await driveHttpOpen({ url, storeId: 'store', skuId: 'sku', tag: 't', phases, timeoutMs: 2_000 });
    assert.equal(
      result.phases.map(({ sent }) => sent),
      [50, 100],
    );
    const [first] = result.phases;
    assert.equal(first?.outcomes, { HELD: 48, 'status 409': 1, PENDING: 1 });
    assert.equal([edge.asked, edge.keys.size, edge.bodies.size], [150, 150, 150]);
  } finally {
    edge.close();
  }
});

test.run();
