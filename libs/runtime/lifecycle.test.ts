import { assert, suite } from '#libs/testing/suite.js';
import { Lifecycle } from './lifecycle.js';
import { createLogger } from './logger.js';

const test = suite('lifecycle');

const never = new Promise<void>(() => undefined);

function lifecycle(graceMs?: number): Lifecycle {
  return new Lifecycle(createLogger('test', 'silent'), graceMs);
}

test('closing turns readiness off, then closes the last opened first, one after the other', async () => {
  const life = lifecycle();
  const events: string[] = [];
  for (const name of ['database', 'server']) {
    life.closer(name, async () => {
      events.push(`${name} begins, ready ${life.isReady}, closing ${life.closing.aborted}`);
      await Promise.resolve();
      events.push(`${name} ends`);
    });
  }
  life.ready();
  assert.ok(life.isReady);
  assert.ok(await life.close());
  assert.equal(events, [
    'server begins, ready false, closing true',
    'server ends',
    'database begins, ready false, closing true',
    'database ends',
  ]);
});

test('closing twice closes once', async () => {
  const life = lifecycle();
  let closed = 0;
  life.closer('counted', () => {
    closed += 1;
  });
  assert.equal(await Promise.all([life.close(), life.close()]), [true, true]);
  assert.is(closed, 1);
});

test('a closer that fails keeps none of the others from closing, and is told', async () => {
  const life = lifecycle();
  let isClosed = false;
  life.closer('first', () => {
    isClosed = true;
  });
  life.closer('second', () => Promise.reject(new Error('no')));
  assert.not(await life.close());
  assert.ok(isClosed);
});

test('a closer that hangs ends the grace time', async () => {
  const life = lifecycle(20);
  life.closer('hanging', () => never);
  assert.not(await life.close());
});

test('what became ready while closing is not ready', async () => {
  const life = lifecycle();
  await life.close();
  life.ready();
  assert.not(life.isReady);
});

test.run();
