import { readFileSync } from 'node:fs';
import { OrderState } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { Fault } from '#libs/refusal/fault.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { bearerOf } from '#libs/testing/test-issuer.js';
import { until } from '#libs/testing/until.js';
import { type EdgeUnderTest, startEdgeUnderTest } from './edge-under-test.js';
import { orderOf } from './fake-gateway.js';

const test = suite('the reader of docs/streams.md');
let edge: EdgeUnderTest;
let follow: Follow;

type Follow = (
  url: string,
  headersOf: () => Record<string, string>,
  heard: (name: string, data: Record<string, unknown>) => void,
  signal: AbortSignal,
) => Promise<void>;

test.before(async () => {
  edge = await startEdgeUnderTest();
  const page = readFileSync(new URL('../../../../docs/streams.md', import.meta.url), 'utf8');
  const source = page.split('```js\n').find((part) => part.includes('function follow('));
  ({ follow } = await import(`data:text/javascript,${encodeURIComponent(source?.split('```')[0] ?? '')}`));
});
test.before.each(() => edge.reset());
test.after(() => edge.close());

const never = new AbortController().signal;
const asAna = (): Record<string, string> => ({ authorization: bearerOf('ana') });
const url = (): string => `${edge.base}/v1/orders/o-1/events`;

test('it hears everything once, through a break, and knows when it is over', async () => {
  const heard: unknown[] = [];
  edge.asked.orders.now = orderOf({ version: 1 });
  const followed = follow(url(), asAna, (name, { version }) => heard.push(`${name} ${version}`), never);
  await until(() => heard.length === 1);
  // Its connection ends, and it comes back.
  edge.asked.orders.breakOff(new Fault('INTERNAL', 'a test'));
  await until(() => edge.asked.orders.asked.length === 2);
  edge.asked.orders.say(orderOf({ version: 2, state: OrderState.ORDER_STATE_CANCELLED }));
  await followed;
  assert.equal(heard, ['order 1', 'order 2']);
});

test('it says why it may not listen, and stops when it is told to', async () => {
  edge.asked.orders.now = new Fault('ORDER_NOT_FOUND', 'There is no such order');
  assert.match(String(await rejectionOf(follow(url(), asAna, () => undefined, never))), 'ORDER_NOT_FOUND');
  edge.asked.orders.now = orderOf({ version: 1 });
  const abort = new AbortController();
  const heard: string[] = [];
  const followed = rejectionOf(follow(url(), asAna, (name) => heard.push(name), abort.signal));
  await until(() => heard.length === 1);
  abort.abort();
  assert.match(String(await followed), 'AbortError');
  await until(() => edge.asked.orders.watching === 0);
});

test.run();
