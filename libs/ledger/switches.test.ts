import { randomUUID } from 'node:crypto';
import { Fault } from '#libs/refusal/fault.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import type { Switch, SwitchChange } from './switches.js';
import { only, type TestLedger, testLedger } from './test-ledger.js';

const test = suite('switches');
let db: TestLedger;

test.before(async () => {
  db = await testLedger();
});
test.after(() => db.drop());

const all = { kind: 'ALL', storeId: '', skuId: '' };
const newStore = () => ({ kind: 'STORE', storeId: `store-${randomUUID()}`, skuId: '' });
const straight = (parts: Partial<SwitchChange> = {}): SwitchChange => ({
  name: 'STOCK_PATH',
  scope: newStore(),
  setting: 'POSTGRES',
  expectedVersion: 0,
  expiresInSeconds: 0,
  reason: 'redis is being moved',
  setBy: 'ann',
  requestId: randomUUID(),
  ...parts,
});
const refusal = (change: SwitchChange): Promise<Fault> => rejectionOf(db.ledger.switchSet(change), Fault);
const inForce = async ({ storeId }: { storeId: string }): Promise<Switch[]> =>
  (await db.ledger.switchesInForce()).filter(({ scope }) => scope.storeId === storeId);

test('what is set is in force, with who set it and why, and its version rises with each change', async () => {
  const change = straight();
  const first = await db.ledger.switchSet(change);
  assert.equal([first.version, first.setBy, first.reason], [1, 'ann', 'redis is being moved']);
  const second = await db.ledger.switchSet(straight({ scope: change.scope, setting: 'REDIS', expectedVersion: 1 }));
  assert.equal(await inForce(change.scope), [second]);
  assert.equal([second.setting, second.version], ['REDIS', 2]);
});

test('of two operators who read the same version one sets the switch, the other is told so', async () => {
  const scope = newStore();
  const changes = ['ann', 'bob', 'eve', 'dan'].map((setBy) => straight({ scope, setBy }));
  const results = await Promise.allSettled(changes.map((change) => db.ledger.switchSet(change)));
  const winner = only(results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])));
  for (const result of results) {
    if (result.status === 'fulfilled') continue;
    const fault = result.reason as Fault;
    assert.equal([fault.reason, fault.metadata], ['SWITCH_CHANGED', { version: '1', set_by: winner.setBy }]);
  }
  assert.equal((await refusal(straight({ expectedVersion: 3 }))).metadata, { version: '0', set_by: '' });
});

test('the same request again has the same answer and no second effect, also when others changed the switch since', async () => {
  const change = straight({ expiresInSeconds: 60 });
  const [first, again] = await Promise.all([db.ledger.switchSet(change), db.ledger.switchSet(change)]);
  assert.equal(again, first);
  await db.ledger.switchSet(straight({ scope: change.scope, setting: 'REDIS', expectedVersion: 1 }));
  assert.equal(await db.ledger.switchSet(change), first);
  assert.is(only(await inForce(change.scope)).setting, 'REDIS');
  assert.is((await db.ledger.controlChangesList(change.scope, {})).changes.length, 2);
});

test('a request id that set something else sets nothing', async () => {
  const change = straight();
  await db.ledger.switchSet(change);
  const others = [
    { scope: newStore() },
    { setting: 'REDIS' },
    { reason: 'another' },
    { setBy: 'bob' },
    { expiresInSeconds: 5 },
  ];
  for (const other of others) {
    assert.is((await refusal({ ...change, expectedVersion: 1, ...other })).reason, 'REQUEST_ID_REUSED');
  }
  assert.is(only(await inForce(change.scope)).version, 1);
});

test('one that has expired is AUTO again and keeps its version', async () => {
  const change = straight({ expiresInSeconds: 60 });
  const { setAt, expiresAt } = await db.ledger.switchSet(change);
  assert.is(expiresAt && expiresAt.getTime() - setAt.getTime(), 60_000);
  await db.sql(`UPDATE ledger.switches SET expires_at = ledger.clock() WHERE scope_id = $1`, [change.scope.storeId]);
  assert.equal(await inForce(change.scope), []);
  const known = (await db.ledger.switchesRead()).filter(({ scope }) => scope.storeId === change.scope.storeId);
  assert.equal([only(known).setting, only(known).version], ['AUTO', 1]);
  await db.ledger.switchSet(straight({ scope: change.scope, expectedVersion: 1 }));
  const { changes } = await db.ledger.controlChangesList(change.scope, {});
  assert.equal(
    changes.map(({ was, became, version }) => [was, became, version]),
    [
      ['AUTO', 'POSTGRES', 2],
      ['AUTO', 'POSTGRES', 1],
    ],
  );
});

test('a sku must be there and be of the named store; a store need not be known', async () => {
  const { skuId } = await db.sku();
  for (const scope of [
    { kind: 'SKU', storeId: 'store-1', skuId: 'nothing' },
    { kind: 'SKU', storeId: 'store-2', skuId },
  ]) {
    assert.is((await refusal(straight({ scope }))).reason, 'SKU_NOT_FOUND');
  }
  const scope = { kind: 'SKU', storeId: 'store-1', skuId };
  await db.ledger.switchSet(straight({ scope }));
  assert.equal(only((await db.ledger.switchesInForce()).filter((each) => each.scope.skuId === skuId)).scope, scope);
});

test('all that is wrong with a change is said at once, and nothing is changed', async () => {
  const scope = { kind: 'SKU', storeId: 'a store', skuId: '' };
  const bad = { setting: 'FAST', expectedVersion: -1, expiresInSeconds: 604_801, reason: ' ', requestId: '' };
  assert.equal(
    (await refusal(straight({ scope, ...bad }))).violations.map(({ field }) => field),
    ['scope.store_id', 'scope.sku_id', 'path', 'expected_version', 'expires_in_seconds', 'reason', 'request_id'],
  );
  const fields = async (parts: Partial<SwitchChange>): Promise<string[]> =>
    (await refusal(straight(parts))).violations.map(({ field }) => field);
  assert.equal(await fields({ name: 'ORDER_PATH', setting: 'DIRECT' }), ['scope.kind']);
  assert.equal(await fields({ name: 'ORDER_PATH', setting: 'REDIS', scope: all }), ['path']);
  assert.equal(await fields({ setting: 'AUTO', expiresInSeconds: 1 }), ['expires_in_seconds']);
  assert.equal(await fields({ reason: 'a\nb' }), ['reason']);
  assert.equal(await fields({ reason: 'x'.repeat(501) }), ['reason']);
});

test('changes are listed newest first, page by page, of all scopes or of one', async () => {
  const scope = newStore();
  for (const [version, setting] of ['POSTGRES', 'AUTO', 'REDIS'].entries()) {
    await db.ledger.switchSet(straight({ scope, setting, expectedVersion: version }));
    await db.ledger.switchSet(straight());
  }
  const first = await db.ledger.controlChangesList(scope, { pageSize: 2 });
  const second = await db.ledger.controlChangesList(scope, { pageSize: 2, pageToken: first.nextPageToken });
  assert.equal(
    [...first.changes, ...second.changes].map(({ was, became }) => `${was} ${became}`),
    ['AUTO REDIS', 'POSTGRES AUTO', 'AUTO POSTGRES'],
  );
  assert.is(second.nextPageToken, '');
  assert.is((await db.ledger.controlChangesList(undefined, { pageSize: 6 })).changes.length, 6);
  for (const bad of ['SHOP', 'STORE']) {
    const page = db.ledger.controlChangesList({ kind: bad, storeId: '', skuId: '' }, {});
    assert.is((await rejectionOf(page, Fault)).reason, 'INVALID_REQUEST');
  }
});

test.run();
