import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { compressionAlgorithms } from '@grpc/grpc-js';
import { openPool } from '#libs/ledger/test-ledger.js';
import { inventoryOf } from '#libs/mesh/inventory-of.js';
import { type Listening, listen } from '#libs/testing/listen.js';
import { assert, suite } from '#libs/testing/suite.js';
import { bearerOf, testIdentityDirectory } from '#libs/testing/test-issuer.js';
import { until } from '#libs/testing/until.js';
import { importSkus } from '../deploy/local/import-skus.js';
import { type Mesh, startMesh } from '../deploy/local/mesh.js';
import { askHttp, assertSaid, callGrpc, type Header, unitsOf } from './edge-calls.js';
import { pressHttp } from './press.js';
import { unlimited } from './unlimited.js';

const test = suite('bad input: floods, by processes whose memory is measured');
const skuId = 'slot';
/** What a process may grow by when the same flood comes again. */
const flatBytes = 48 * 1024 * 1024;

let directory: string;
let mesh: Mesh;
let http: string;
let pool: ReturnType<typeof openPool>;

test.before(async () => {
  directory = mkdtempSync(join(tmpdir(), 'holdfast-floods-'));
  chmodSync(directory, 0o755);
  mesh = await startMesh({ directory, identity: testIdentityDirectory(), env: { ...unlimited, LOG_LEVEL: 'error' } });
  http = mesh.describe().http;
  pool = openPool(mesh.describe().infra.postgres.url);
  await importSkus(inventoryOf(mesh.describe()), [{ skuId, storeId: 'store-1', title: 'A slot', capacity: 1_000 }]);
});
test.after(async () => {
  await pool?.close();
  await mesh.stop();
  rmSync(directory, { recursive: true });
});

const sql = <Row extends object>(text: string): Promise<Row[]> => pool.query<Row>({ name: '', text }, []);
const units = (): Promise<unknown> => unitsOf(sql);

async function buys(user = `user-${randomUUID()}`): Promise<string> {
  const { status, body } = await pressHttp(http, { user, key: 'key', skuId });
  assert.is(status, 201, JSON.stringify(body));
  return String(body.order_id);
}

/** Resident bytes of the edge and of the gateway. */
function memory(): Record<'bff' | 'gateway', number> {
  const { services } = mesh.describe();
  const of = (name: string): number => {
    const status = readFileSync(`/proc/${services[name]?.[0]?.pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1_024;
  };
  return { bff: of('bff'), gateway: of('gateway') };
}

/** Floods three times: the first warms the processes, after which they are as large as they get. */
async function staysFlat(flood: () => Promise<void>): Promise<void> {
  const pids = JSON.stringify(mesh.describe().services);
  await flood();
  const before = memory();
  for (let i = 0; i < 2; i += 1) await flood();
  const after = memory();
  for (const name of ['bff', 'gateway'] as const) {
    const grown = after[name] - before[name];
    assert.ok(
      grown < flatBytes,
      `${name} grew by ${Math.round(grown / 1e6)} MB from ${Math.round(before[name] / 1e6)}`,
    );
  }
  assert.is(JSON.stringify(mesh.describe().services), pids, 'nothing was started again');
}

test('of a thousand streams of one user twenty are open and the rest are 429; others are served, and memory is flat', async () => {
  const orderId = await buys('ada');
  const bob = await buys('bob');
  const before = await units();
  await staysFlat(async () => {
    const hear = (id: string, user: string): Promise<Listening> =>
      listen(`${http}/v1/orders/${id}/events`, { authorization: bearerOf(user) });
    const heard = await Promise.all(Array.from({ length: 1_000 }, () => hear(orderId, 'ada')));
    const refused = heard.filter(({ status }) => status === 429);
    assert.equal([heard.filter(({ status }) => status === 200).length, refused.length], [20, 980]);
    for (const { text, headers } of refused) {
      assert.equal([JSON.parse(text).reason, JSON.parse(text).limit], ['RATE_LIMITED', 'USER_STREAMS']);
      assert.ok(Number(headers.get('retry-after')) > 0);
    }
    const others = await hear(bob, 'bob');
    await until(() => others.events.length === 1);
    const authorization: Header = ['authorization', bearerOf('ada')];
    assertSaid(await askHttp(http, { path: `/v1/orders/${orderId}`, headers: [authorization] }), [200, 'OK'], 'a read');
    others.close();
    for (const listening of heard) listening.close();
    await until(async () => {
      const again = await hear(orderId, 'ada');
      again.close();
      return again.status === 200;
    });
  });
  assert.equal(await units(), before);
});

test('a bomb of gzip is 415 over HTTP and INVALID_ARGUMENT over gRPC; memory is flat, and others are served', async () => {
  const bytes = Buffer.alloc(30_000_000);
  const bomb = gzipSync(bytes);
  const before = await units();
  const authorization: Header = ['authorization', bearerOf('eve')];
  const headers: Header[] = [authorization, ['content-type', 'application/json'], ['content-encoding', 'gzip']];
  const key = (): Header => ['idempotency-key', randomUUID()];
  await staysFlat(async () => {
    const bombs = Array.from({ length: 100 }, () =>
      askHttp(http, { method: 'POST', path: '/v1/orders', headers: [...headers, key()], body: bomb }),
    );
    for (const said of await Promise.all(bombs)) assertSaid(said, [415, 'CONTENT_TYPE_UNSUPPORTED'], 'HTTP');
    for (let i = 0; i < 5; i += 1) {
      const method = 'holdfast.reservation.v1.ReservationService/Reserve';
      const options = { 'grpc.default_compression_algorithm': compressionAlgorithms.gzip };
      const said = await callGrpc(mesh.describe().gateway, { method, headers: [authorization], bytes, options });
      assertSaid(said, ['INVALID_ARGUMENT', 'INVALID_REQUEST'], 'gRPC');
    }
  });
  assert.equal(await units(), before);
  await buys();
});

/** Sends the beginning of a request and then nothing; knows what came back. */
class Slow {
  text = '';
  isOver = false;
  readonly #socket: Socket;

  constructor(begin: string) {
    const { hostname, port } = new URL(http);
    this.#socket = connect(Number(port), hostname, () => this.#socket.write(begin));
    this.#socket.on('data', (chunk) => {
      this.text += chunk;
    });
    this.#socket.on('error', () => undefined);
    this.#socket.once('close', () => {
      this.isOver = true;
    });
  }
}

test('half heads and half bodies, a thousand at once, are 408 when their time is over; until then others are served', async () => {
  const head = `POST /v1/orders HTTP/1.1\r\nhost: x\r\nauthorization: ${bearerOf('eve')}\r\nidempotency-key: half\r\n`;
  const body = `${head}content-type: application/json\r\ncontent-length: 200\r\n\r\n{"store_id":"store-1","lines":[`;
  const beginnings = ['GET', head, `${head}x-half: `, body];
  const warm = memory();
  const slow = Array.from({ length: 1_000 }, (_, i) => new Slow(beginnings[i % beginnings.length] ?? ''));
  let served = 0;
  await until(
    async () => {
      await buys();
      served += 1;
      return slow.every(({ isOver }) => isOver);
    },
    { timeoutMs: 30_000, describe: () => `${slow.filter(({ isOver }) => !isOver).length} are open still` },
  );
  assert.ok(served > 20, `${served} others were served`);
  for (const { text } of slow) assert.match(text, /^HTTP\/1\.1 408 [\s\S]*"reason":"INVALID_REQUEST"/);
  const grown = memory().bff - warm.bff;
  assert.ok(grown < flatBytes, `the edge grew by ${grown} bytes`);
  const orders = await sql<{ n: number }>("SELECT count(*)::int AS n FROM ledger.orders WHERE user_id = 'eve'");
  assert.equal(orders, [{ n: 0 }]);
});

test.run();
