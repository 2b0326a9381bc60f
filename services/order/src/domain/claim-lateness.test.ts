import { assert, suite } from '#libs/testing/suite.js';
import { storedTooLate } from './claim-lateness.js';

const test = suite('lateness of claims');

const notAfter = new Date('2026-03-01T10:00:00.000Z');
const after = (ms: number) => new Date(notAfter.getTime() + ms);

test('a claim stored before its not-after is in time, however old it is by now', () => {
  assert.not(storedTooLate(after(-1), notAfter));
});

test('the stream may store up to one second after the not-after: its clock is not the ledger’s', () => {
  assert.not(storedTooLate(after(1_000), notAfter));
  assert.ok(storedTooLate(after(1_001), notAfter));
});

test.run();
