import { assert, suite } from '#libs/testing/suite.js';
import { importSkus } from '../../deploy/local/import-skus.js';
import { SmallMesh } from './small-mesh.js';

const test = suite('Postgres alone');
let mesh: SmallMesh;

test.before(async () => {
  mesh = await SmallMesh.start(['redis', 'nats']);
});
test.after(() => mesh.stop());

test('a crowd that is limited is sold exactly what there is', async () => {
  assert.equal(mesh.servers, ['postgres']);
  assert.equal(await mesh.crowd('class', 'CONFIGURED'), []);
});

test('beyond the limit nobody stands in line: they are told when the next token is there', async () => {
  const rateLimit = { perSecond: 1, burst: 1 };
  await importSkus(mesh.inventory, [{ skuId: 'seat', storeId: 'hall', title: 'Seat', capacity: 9, rateLimit }]);
  const press = (user: string): Promise<Response> =>
    fetch(`${mesh.http}/v1/orders`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'idempotency-key': 'k',
        authorization: `Bearer ${mesh.tokenOf(user)}`,
      },
      body: JSON.stringify({ store_id: 'hall', lines: [{ sku_id: 'seat', quantity: 1 }], on_busy: 'queue' }),
    });
  const answers = await Promise.all(['ann', 'bob', 'cem', 'dee'].map(press));
  assert.not(answers.some(({ status }) => status === 202));
  const limited = answers.find(({ status }) => status === 429);
  assert.ok(limited);
  assert.is(limited.headers.get('retry-after'), '1');
  const { reason, limit, rate, reset_ms } = (await limited.json()) as Record<string, unknown>;
  assert.equal([reason, limit, rate], ['RATE_LIMITED', 'STORE_SKU', 1]);
  assert.ok(Number(reset_ms) > 0 && Number(reset_ms) <= 1_000, String(reset_ms));
});

test('every process is ready, and says once that there is no Redis and then no more of it', async () => {
  assert.equal(await mesh.unready(), []);
  const complaints = mesh.complaints();
  assert.is(complaints.length, 1, complaints.join('\n'));
  assert.match(complaints[0] ?? '', /^gateway-1 .*there is no REDIS_URL/);
});

test.run();
