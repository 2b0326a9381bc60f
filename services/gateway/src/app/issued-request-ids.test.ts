import { Fault } from '#libs/refusal/fault.js';
import { assert, suite } from '#libs/testing/suite.js';
import { isId } from '../domain/fields.js';
import { issuedForMs } from '../domain/issued-request-id.js';
import { IssuedRequestIds, requestIdNotIssued } from './issued-request-ids.js';

const test = suite('IssuedRequestIds');

const ids = new IssuedRequestIds(['secret-1']);
const ana = { userId: 'ana', storeId: 'store-1', skuId: 'sku-1' };
const order = { userId: 'ana', storeId: 'store-1', skuIds: ['sku-1'] };

test('an issued id may be used by its user for its sku, in as many lines as they like', () => {
  const { requestId } = ids.create(ana);
  assert.ok(ids.mayUse(requestId, order));
  assert.ok(ids.mayUse(requestId, { ...order, skuIds: ['sku-1', 'sku-1'] }));
});

test('one that was forged, is over, or was issued for another person or sku may not', () => {
  const { requestId } = ids.create(ana, 0);
  assert.ok(ids.mayUse(requestId, order, issuedForMs - 1));
  assert.not.ok(ids.mayUse(requestId, order, issuedForMs));
  const now = Date.now();
  const mine = ids.create(ana, now).requestId;
  assert.not.ok(ids.mayUse(mine, { ...order, userId: 'ben' }, now));
  assert.not.ok(ids.mayUse(mine, { ...order, skuIds: ['sku-2'] }, now));
  assert.not.ok(ids.mayUse(mine, { ...order, skuIds: ['sku-1', 'sku-2'] }, now));
  assert.not.ok(ids.mayUse(mine, { ...order, skuIds: [] }, now));
  assert.not.ok(ids.mayUse(new IssuedRequestIds(['guess']).create(ana, now).requestId, order, now));
  assert.not.ok(ids.mayUse('key-1', order, now));
});

test('whoever may not use one is told what to ask for, in words of no protocol', () => {
  assert.match(requestIdNotIssued.message, /ask for one that is issued for this sku$/);
});

test('while secrets change, what the old one signed still counts; afterwards it does not', () => {
  const { requestId } = ids.create(ana);
  assert.ok(new IssuedRequestIds(['secret-2', 'secret-1']).mayUse(requestId, order));
  assert.not.ok(new IssuedRequestIds(['secret-2']).mayUse(requestId, order));
  const fresh = new IssuedRequestIds(['secret-2', 'secret-1']).create(ana);
  assert.ok(new IssuedRequestIds(['secret-2']).mayUse(fresh.requestId, order));
});

test('two ids for the same differ, and each is a request id', () => {
  const long = { userId: 'u'.repeat(128), storeId: 's'.repeat(128), skuId: 'k'.repeat(128) };
  const [one, other] = [ids.create(long).requestId, ids.create(long).requestId];
  assert.is.not(one, other);
  assert.ok(isId(one, 255));
});

test('without a secret none is issued and none is taken', () => {
  const none = new IssuedRequestIds([]);
  assert.throws(
    () => none.create(ana),
    (error: unknown) => error instanceof Fault && error.reason === 'REQUEST_IDS_NOT_ISSUED',
  );
  assert.not.ok(none.mayUse(ids.create(ana).requestId, order));
});

test.run();
