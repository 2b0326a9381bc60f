import { randomUUID } from 'node:crypto';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { assert, suite } from '#libs/testing/suite.js';
import { bearerOf } from '#libs/testing/test-issuer.js';
import { startTestMesh, type TestMesh } from './test-mesh.js';

const test = suite('openapi: a client that knows nothing but the document');
let mesh: TestMesh;

test.before(async () => {
  mesh = await startTestMesh();
});
test.after(() => mesh.close());

interface Operation {
  operationId: string;
  security: unknown[];
  parameters: { name: string; in: string; required: boolean }[];
  requestBody?: { content: object };
  responses: Record<string, { content?: Record<string, object> }>;
}

interface Called {
  status: number;
  body: Record<string, unknown>;
  headers: Headers;
}

type Call = (operationId: string, given?: { values?: Record<string, string>; body?: object }) => Promise<Called>;

/** Calls operations by their ids, as the document at `base` says, and holds each answer to it. */
async function clientOf(base: string, token: string): Promise<Call> {
  const document = (await (await fetch(`${base}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, Operation>>;
  };
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, 'document');
  const routes = Object.entries(document.paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([method, operation]) => ({ path, method, operation })),
  );
  return async (operationId, { values = {}, body } = {}) => {
    const route = routes.find(({ operation }) => operation.operationId === operationId);
    if (route === undefined) throw new Error(`the document has no ${operationId}`);
    const { path, method, operation } = route;
    const url = new URL(
      path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? '')),
      base,
    );
    const headers: Record<string, string> = operation.security.length > 0 ? { authorization: token } : {};
    for (const { name, in: where, required } of operation.parameters) {
      const value = values[name] ?? (required && where === 'header' ? randomUUID() : undefined);
      if (where === 'query' && value !== undefined) url.searchParams.set(name, value);
      if (where === 'header' && value !== undefined) headers[name] = value;
    }
    if (body !== undefined) headers['content-type'] = 'application/json';
    const init = { method: method.toUpperCase(), headers, ...(body && { body: JSON.stringify(body) }) };
    const response = await fetch(url, init);
    const answer = (await response.json()) as Called['body'];
    const type = response.headers.get('content-type')?.split(';')[0] ?? '';
    assert.ok(operation.responses[response.status]?.content?.[type], `${operationId} ${response.status} ${type}`);
    const steps = ['paths', path, method, 'responses', String(response.status), 'content', type, 'schema'];
    const pointer = steps.map((step) => encodeURIComponent(step.replaceAll('/', '~1'))).join('/');
    assert.ok(ajv.validate({ $ref: `document#/${pointer}` }, answer), ajv.errorsText());
    return { status: response.status, body: answer, headers: response.headers };
  };
}

test('finds a slot of the day, books it, reads it, finds it among its own, gives it back and is told of a true no', async () => {
  const storeId = 'store-of-the-document';
  const day = (hour: number): Date => new Date(Date.now() + 86_400_000 + hour * 3_600_000);
  for (const hour of [1, 2, 30]) {
    await mesh.ledger.sku({ storeId, capacity: 1, startsAt: day(hour), timeZone: 'Europe/Vienna' });
  }
  const call = await clientOf(mesh.http, bearerOf('ada'));
  const times = { starts_after: day(0).toISOString(), starts_before: day(24).toISOString() };
  const seen: { sku_id: string; availability: { free: number } }[] = [];
  let token = '';
  do {
    const values = { id: storeId, page_size: '1', page_token: token, ...times };
    const { status, body } = await call('listSkus', { values });
    assert.is(status, 200);
    seen.push(...(body.skus as typeof seen));
    token = String(body.next_page_token);
  } while (token !== '');
  assert.is(seen.length, 2);
  const slot = seen.find(({ availability }) => availability.free > 0)?.sku_id ?? '';

  const wish = { store_id: storeId, lines: [{ sku_id: slot, quantity: 1 }] };
  const placed = await call('placeOrder', { body: wish, values: { Prefer: 'wait=5' } });
  assert.is(placed.status, 201);
  const id = placed.headers.get('location')?.split('/').at(-1) ?? '';
  assert.equal((await call('getOrder', { values: { id } })).body, placed.body);
  const mine = await call('listMyOrders');
  assert.equal(
    (mine.body.orders as { order_id: string }[]).map((order) => order.order_id),
    [id],
  );
  const free = async () => (await call('getAvailability', { values: { id: slot } })).body.free;
  assert.is(await free(), 0);
  const other = await clientOf(mesh.http, bearerOf('ben'));
  const refused = await other('placeOrder', { body: { ...wish, on_sold_out: 'refuse' } });
  assert.is(refused.status, 409);
  assert.equal((await other('getOrder', { values: { id } })).status, 404);
  assert.equal((await call('cancelOrder', { values: { id }, body: {} })).body.state, 'CANCELLED');
  assert.is(await free(), 1);
});

test.run();
