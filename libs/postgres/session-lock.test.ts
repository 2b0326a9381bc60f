import { createLogger } from '#libs/runtime/logger.js';
import { faultProxy } from '#libs/testing/fault-proxy.js';
import { assert, suite } from '#libs/testing/suite.js';
import { type TestPostgres, testPostgres } from '#libs/testing/test-postgres.js';
import { until } from '#libs/testing/until.js';
import { SessionLock } from './session-lock.js';

const test = suite('session lock');
let database: TestPostgres;

test.before(async () => {
  database = await testPostgres();
});
test.after(() => database.drop());

const lockNamed = (name: string, url = database.url): SessionLock =>
  new SessionLock({ url, name, applicationName: 'test', logger: createLogger('test', 'silent') });

test('one of two holds it, and the other gets it when the first lets go', async () => {
  const [first, second] = [lockNamed('a'), lockNamed('a')];
  assert.is(await first.tryHold(), true);
  assert.is(await second.tryHold(), false);
  assert.is(await first.tryHold(), true);
  await first.release();
  await until(() => second.tryHold());
  await second.release();
});

test('locks of other names are other locks', async () => {
  const [first, second] = [lockNamed('b'), lockNamed('c')];
  assert.equal([await first.tryHold(), await second.tryHold()], [true, true]);
  await Promise.all([first.release(), second.release()]);
});

test('a holder that is cut off loses it to another, knows so, and can have it again', async () => {
  const server = new URL(database.url);
  const proxy = await faultProxy(server.hostname, Number(server.port));
  const [cutOff, other] = [lockNamed('d', proxy.url(database.url)), lockNamed('d')];
  assert.is(await cutOff.tryHold(), true);
  proxy.cut();
  await until(() => other.tryHold());
  const asked = await cutOff.tryHold().catch(() => 'cannot ask');
  assert.is(asked, 'cannot ask');
  proxy.heal();
  assert.is(await cutOff.tryHold(), false);
  await other.release();
  await until(() => cutOff.tryHold());
  await cutOff.release();
  await proxy.close();
});

test.run();
