import { ServerCredentials } from '@grpc/grpc-js';
import { createAuthority } from '#libs/identity/authority.js';
import { Fault } from '#libs/refusal/fault.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { connectHoldfast, type HoldfastClient, type HoldfastTls } from './index.js';
import { heldOrder, type StandInGateway, startStandInGateway } from './stand-in-gateway.js';
import { Voice } from './voice.js';

const test = suite('client: calls');
let gateway: StandInGateway;
let client: HoldfastClient;

test.before(async () => {
  gateway = await startStandInGateway();
  client = connectHoldfast(gateway.address);
});
test.after(async () => {
  client.close();
  await gateway.close();
});

const { orderId } = heldOrder;
const wish = { storeId: 'kiln', lines: [{ skuId: 'mug', quantity: 1 }] };

test('a change is sent again under the one request_id of its intent, and under another by the next', async () => {
  const sent: string[] = [];
  const faults = [
    new Fault('ORDER_PENDING', 'not decided', { retryAfterMs: 20 }),
    new Fault('REQUEST_IN_PROGRESS', 'being answered', { retryAfterMs: 20 }),
  ];
  gateway.serves({
    async cancelOrder({ requestId }) {
      sent.push(requestId);
      const fault = faults.shift();
      if (fault) throw fault;
      return { order: heldOrder };
    },
  });
  assert.equal(await client.cancelOrder(orderId, { reason: 'ill' }), heldOrder);
  assert.equal([sent.length, new Set(sent).size], [3, 1]);
  await client.cancelOrder(orderId);
  assert.is(new Set(sent).size, 2);
  await client.cancelOrder(orderId, { requestId: 'mine' });
  assert.is(sent.at(-1), 'mine');
});

test('what cannot be sent is INVALID_REQUEST, and never sent', async () => {
  gateway.says('nothing');
  const wishes = [1.5, Number.NaN, 2 ** 31].map((quantity) => ({ ...wish, lines: [{ skuId: 'mug', quantity }] }));
  const tries = [
    ...wishes.map((one) => client.reserve(one)),
    client.forUser('陶').reserve(wish),
    client.withToken('陶').getOrder(orderId),
  ];
  for (const one of tries) assert.is((await rejectionOf(one, Fault)).reason, 'INVALID_REQUEST');
  assert.is(gateway.tries.length, 0);
});

test('what was heard last is thrown when the time is over, what no repetition mends at once', async () => {
  let tries = 0;
  gateway.serves({
    async getOrder() {
      tries += 1;
      throw new Fault('BUSY', 'too much waits', { retryAfterMs: 50 });
    },
    async startPayment() {
      tries += 1;
      throw new Fault('PAYMENTS_NOT_OFFERED', 'no provider');
    },
  });
  assert.is((await rejectionOf(client.getOrder(orderId, { deadlineMs: 400 }), Fault)).reason, 'BUSY');
  assert.ok(tries > 1);
  tries = 0;
  assert.is((await rejectionOf(client.startPayment(orderId), Fault)).reason, 'PAYMENTS_NOT_OFFERED');
  assert.is(tries, 1);
});

test('a method that the contract does not call idempotent is sent once', async () => {
  let tries = 0;
  const once = { ...methodWithout, options: {} };
  const send = async (): Promise<never> => {
    tries += 1;
    throw new Fault('UNAVAILABLE', 'away', { retryAfterMs: 1 });
  };
  assert.is((await rejectionOf(new Voice({ token: 't' }).ask(once, send), Fault)).reason, 'UNAVAILABLE');
  assert.is(tries, 1);
});

const nothing = { encode: () => ({ finish: () => new Uint8Array() }), decode: () => undefined };
const methodWithout = {
  ...{ name: 'Once', requestType: nothing, responseType: nothing },
  ...{ requestStream: false, responseStream: false },
};

test('the orders of a user come page by page, as they are read', async () => {
  const asked: string[] = [];
  gateway.serves({
    async listOrders({ userId, pageToken }) {
      asked.push(`${userId} ${pageToken}`);
      const orders = [{ ...heldOrder, orderId: `order-${asked.length}` }];
      return { orders, nextPageToken: asked.length < 3 ? `after-${asked.length}` : '' };
    },
  });
  const ids: string[] = [];
  for await (const order of client.forUser('ada').listOrders()) ids.push(order.orderId);
  assert.equal(ids, ['order-1', 'order-2', 'order-3']);
  assert.equal(asked, ['ada ', 'ada after-1', 'ada after-2']);
  asked.length = 0;
  for await (const _ of client.listOrders({ userId: 'ben' })) break;
  assert.equal(asked, ['ben ']);
});

test('a token is asked for before each try, and a service names the user it acts for', async () => {
  const again = new Fault('UNAVAILABLE', 'away', { retryAfterMs: 10 });
  let drawn = 0;
  const service = connectHoldfast(gateway.address, { token: async () => `t${++drawn}` });
  gateway.says(again, again, { $case: 'pending', value: { orderId } });
  await service.forUser('ada').reserve(wish);
  const said = gateway.tries.map(({ authorization, userId }) => `${authorization} ${userId}`);
  service.close();
  // One of the three is what the connection sends again by itself, in the same words.
  assert.equal([said.length, said[0], said.at(-1)], [3, 'Bearer t1 ada', 'Bearer t2 ada']);

  const user = connectHoldfast(gateway.address, { token: 'mine' });
  gateway.says({ $case: 'pending', value: { orderId } });
  await user.reserve(wish);
  user.close();
  assert.equal(
    gateway.tries.map(({ authorization, userId }) => [authorization, userId]),
    [['Bearer mine', '']],
  );
});

test('another token speaks over the same connections', async () => {
  gateway.says({ $case: 'pending', value: { orderId } });
  await Promise.all(['of-ada', 'of-ben'].map((token) => client.withToken(token).reserve(wish)));
  assert.equal(gateway.tries.map(({ authorization }) => authorization).sort(), ['Bearer of-ada', 'Bearer of-ben']);
});

test('of a crowd of calls 250 go at once, and who gives up or runs out of time in the line was never sent', async () => {
  let atWork = 0;
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  gateway.serves({
    async getOrder() {
      atWork += 1;
      await released;
      return { order: heldOrder };
    },
  });
  const crowd = Array.from({ length: 300 }, () => client.getOrder(orderId));
  const giveUp = new AbortController();
  const late = rejectionOf(client.getOrder(orderId, { deadlineMs: 50 }), Fault);
  const givenUp = rejectionOf(client.forUser('ben').getOrder(orderId, { signal: giveUp.signal }), Fault);
  await until(() => atWork === 250);
  giveUp.abort();
  assert.equal([(await late).reason, (await givenUp).reason, atWork], ['BUSY', 'CANCELLED', 250]);
  release();
  await Promise.all(crowd);
  assert.is(atWork, 300);
});

test('a token that does not come is too late, and one that cannot be had is what it says', async () => {
  const waiting = connectHoldfast(gateway.address, { token: () => new Promise<string>(() => undefined) });
  const late = await waiting.reserve(wish, { deadlineMs: 100 });
  waiting.close();
  assert.ok(late.kind === 'UNDECIDED' && late.fault.reason === 'TOO_LATE');
  const broken = connectHoldfast(gateway.address, { token: () => Promise.reject(new Error('the vault is shut')) });
  assert.is((await rejectionOf(broken.getOrder(orderId))).message, 'the vault is shut');
  broken.close();
});

test('over TLS the gateway is believed by its authority and its name, and a service may show a certificate', async () => {
  const [authority, another] = await Promise.all([createAuthority(), createAuthority()]);
  const [own, desk] = await Promise.all([authority.issue('gateway'), authority.issue('desk')]);
  const pairs = [{ cert_chain: Buffer.from(own.cert), private_key: Buffer.from(own.key) }];
  const secured = await startStandInGateway(ServerCredentials.createSsl(Buffer.from(authority.cert), pairs, true));
  secured.says({ $case: 'pending', value: { orderId } });
  const kindAt = async (address: string, tls: HoldfastTls): Promise<string> => {
    const one = connectHoldfast(address, { token: 'mine', tls });
    const { kind } = await one.reserve(wish, { deadlineMs: 1_000 });
    one.close();
    return kind;
  };
  const named = `dns:localhost:${secured.address.split(':')[1]}`;
  const right = { ca: authority.cert, ...desk };
  assert.equal([await kindAt(secured.address, right), await kindAt(named, right)], ['PENDING', 'PENDING']);
  assert.is(await kindAt(secured.address, { ...right, ca: another.cert }), 'UNDECIDED');
  assert.is(await kindAt(secured.address, { ca: authority.cert }), 'UNDECIDED');
  await secured.close();
});

test.run();
