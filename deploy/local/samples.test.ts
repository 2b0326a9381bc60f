import { assert, suite } from '#libs/testing/suite.js';
import { sampleSkus } from './samples.js';

const test = suite('samples');

test('slots lie on the coming Monday at the time their title says, in the time of the store', () => {
  for (const today of ['2026-03-23', '2026-03-28', '2026-03-29', '2026-11-29', '2026-12-31']) {
    const now = new Date(`${today}T12:00:00Z`);
    for (const { title, startsAt, timeZone } of sampleSkus(now)) {
      if (!startsAt) continue;
      assert.ok(startsAt > now, `${startsAt.toISOString()} after ${today}`);
      assert.ok(startsAt.getTime() - now.getTime() < 8 * 86_400_000);
      const shown = new Intl.DateTimeFormat('en-GB', {
        timeZone: timeZone ?? '',
        weekday: 'long',
        hour: '2-digit',
        minute: '2-digit',
      }).format(startsAt);
      assert.ok(title.endsWith(shown.replace(' at', '')), `${title} shows ${shown}`);
    }
  }
});

test('two starts of one week put the same on sale', () => {
  assert.equal(sampleSkus(new Date('2026-11-24T01:00:00Z')), sampleSkus(new Date('2026-11-29T23:00:00Z')));
});

test.run();
