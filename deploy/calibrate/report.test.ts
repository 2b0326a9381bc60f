import { assert, suite } from '#libs/testing/suite.js';
import { chooseLimits } from './choose-limits.js';
import { renderCalibration } from './report.js';
import type { Repeated } from './rounds.js';

const test = suite('report of calibrate');

const measured = {
  at: '2026-03-01T12:00:00.000Z',
  cores: 2,
  cpu: 'a cpu',
  node: 'v20',
  ledger_per_second: 20_000,
  consumer_per_second: 16_000,
  path_per_second: 4_000,
};

function render(highest = 4_200): string {
  const repeated = (perSecond: number): Repeated => ({
    perSecond,
    lowest: 0.9 * perSecond,
    highest: perSecond,
    runs: 5,
  });
  const sales = [
    { storeId: 'kiln', skuId: 'mug', units: 200, crowd: 1_000, over_seconds: 5, target_seconds: 10 },
    { storeId: 'kiln', skuId: 'slow', units: 200, crowd: 10, over_seconds: 5, target_seconds: 10 },
  ];
  const { file, choices } = chooseLimits(measured, sales);
  const path = { ...repeated(4_000), highest };
  const spread = { ledger: repeated(20_000), consumer: repeated(16_000), path };
  return renderCalibration({ measured, spread }, file, choices, 'limits.json');
}

test('it says what was measured and on what, each setting with its reason, and each sku with its end', () => {
  const text = render();
  for (const part of [
    'measured on 2 cores (a cpu), Node v20: medians of 5 runs',
    '20,000 (18,000 to 20,000) claims',
    'CONSUME_PER_SECOND      14,000  0.7 of what the ledger admits',
    '2,800 reservations a second 99 of 100 are answered within 250 ms',
    'written to limits.json',
  ]) {
    assert.ok(text.includes(part), `${part} in\n${text}`);
  }
  assert.match(text, /kiln +mug +200 +1,000 +5 s +20 +200 +1\.[12] s/);
  assert.match(text, /kiln +slow +200 +10 .* never/);
});

test('runs that were far apart are not believed', () => {
  assert.not.match(render(), 'far apart');
  assert.match(render(9_000), 'far apart');
});

test.run();
