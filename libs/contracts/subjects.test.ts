import { assert, suite } from '#libs/testing/suite.js';
import {
  alertEventSubject,
  claimsStream,
  claimsSubject,
  decisionsSubject,
  orderEventSubject,
  orderEventsStream,
  refundEventSubject,
  stockFreedSubject,
  subjects,
  waitlistEventSubject,
} from './subjects.js';

const test = suite('subjects');

const fits = (pattern: string, subject: string): boolean =>
  new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll(/<[^>]+>/g, '[^.]+')}$`).test(subject);

test('every subject that is made is in the table', () => {
  assert.ok(fits(subjects.claims.pattern, claimsSubject(3)));
  assert.ok(fits(subjects.claims.stream, claimsStream(3)));
  assert.ok(fits(subjects.decisions.pattern, decisionsSubject(3)));
  assert.ok(fits(subjects.stockFreed.pattern, stockFreedSubject(3)));
  assert.ok(fits(subjects.orderEvents.pattern, orderEventSubject('HELD', 65_535)));
  assert.ok(fits(subjects.waitlistEvents.pattern, waitlistEventSubject('WAITING', 65_535)));
  assert.ok(fits(subjects.refundEvents.pattern, refundEventSubject(65_535)));
  for (const news of ['RAISED', 'CLEARED'] as const) {
    assert.ok(fits(subjects.alertEvents.pattern, alertEventSubject(news)));
  }
  assert.is(orderEventSubject('HELD', 1), 'order.v1.held.1');
  assert.is(orderEventsStream, 'ORDER_EVENTS');
});

test.run();
