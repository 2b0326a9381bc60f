import { assert, suite } from '#libs/testing/suite.js';
import { type Before, isSurelyFirst } from './surely-first.js';

const test = suite('surely first');

const sure = (some: Partial<Before> = {}): boolean =>
  isSurelyFirst({ firstForMs: 60_000, markedForMs: Number.POSITIVE_INFINITY, oldestMs: 0, ...some });

test('a try is surely the first when nothing older can have an effect any more', () => {
  assert.ok(sure());
  assert.ok(sure({ firstForMs: 5_001 }));
  assert.ok(sure({ oldestMs: 54_999 }));
  assert.ok(sure({ markedForMs: 5_001 }));
});

test('it is not while another one may still be under way', () => {
  assert.not(sure({ firstForMs: 5_000 }));
  assert.not(sure({ firstForMs: 0 }));
  assert.not(sure({ firstForMs: undefined }));
});

test('it is not while the stream may have what an older one put into it', () => {
  assert.not(sure({ oldestMs: 55_000 }));
  assert.not(sure({ oldestMs: undefined }));
  // A stream whose clock is ahead of the ledger's has messages from the future.
  assert.not(sure({ firstForMs: 4_000, oldestMs: -10_000 }));
});

test('it is not while a try without a mark may be under way, or what it put into the stream', () => {
  assert.not(sure({ markedForMs: 5_000 }));
  assert.not(sure({ markedForMs: -1_000 }));
  assert.not(sure({ markedForMs: 50_000, oldestMs: 46_000 }));
});

test.run();
