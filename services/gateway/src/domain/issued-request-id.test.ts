import { assert, suite } from '#libs/testing/suite.js';
import { type IssuedFor, isIssuedFor, issue, issuedForMs } from './issued-request-id.js';

const test = suite('issued request ids');

const ana: IssuedFor = { userId: 'ana', storeId: 'store-1', skuId: 'sku-1' };
/** A signature that shows what it signs. */
const sign = (text: string): string => Buffer.from(text).toString('base64url').slice(-120);
const verifies = (text: string, mac: string): boolean => sign(text) === mac;
const issued = issue(ana, { nonce: 'n0nce_-', nowMs: 1_000, sign });

test('it says when it ends and who signed it, and is good until then', () => {
  assert.is(issued.expiresAtMs, 1_000 + issuedForMs);
  assert.match(issued.requestId, /^hf1\.1801000\.n0nce_-\.[\w-]+$/);
  assert.ok(isIssuedFor(issued.requestId, ana, { nowMs: issued.expiresAtMs - 1, verifies }));
  assert.not.ok(isIssuedFor(issued.requestId, ana, { nowMs: issued.expiresAtMs, verifies }));
});

test('it is good for nobody else and nothing else', () => {
  const others = [{ userId: 'ben' }, { storeId: 'store-2' }, { skuId: 'sku-2' }, { userId: 'anastore-1', storeId: '' }];
  for (const other of others) {
    assert.not.ok(isIssuedFor(issued.requestId, { ...ana, ...other }, { nowMs: 0, verifies }), JSON.stringify(other));
  }
});

test('whoever changes a letter of it has none', () => {
  const [version, expiry, nonce, mac] = issued.requestId.split('.');
  const forged = [
    `${version}.9${expiry}.${nonce}.${mac}`,
    `${version}.0${expiry}.${nonce}.${mac}`,
    `${version}.${expiry}.x${nonce}.${mac}`,
    `${version}.${expiry}.${nonce}.${mac}x`,
    `hf2.${expiry}.${nonce}.${mac}`,
    `${issued.requestId}.`,
    `${issued.requestId}\n`,
    ` ${issued.requestId}`,
    `${version}.${expiry}..${mac}`,
    `${version}.NaN.${nonce}.${mac}`,
    'hf1...',
    'key-1',
    '',
  ];
  for (const requestId of forged) assert.not.ok(isIssuedFor(requestId, ana, { nowMs: 0, verifies }), requestId);
});

test.run();
