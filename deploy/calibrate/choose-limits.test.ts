import { type Measured, parseLimits } from '#libs/mesh/limits-file.js';
import { assert, suite } from '#libs/testing/suite.js';
import { chooseLimits } from './choose-limits.js';
import { type ExpectedSale, sampleSales } from './sales.js';

const test = suite('choosing limits');

const measured: Measured = {
  at: '2026-03-01T12:00:00.000Z',
  cores: 2,
  cpu: 'a cpu',
  node: 'v20',
  ledger_per_second: 20_000,
  consumer_per_second: 16_000,
  path_per_second: 4_000,
};

const sale = (parts: Partial<ExpectedSale>): ExpectedSale => ({
  storeId: 'kiln',
  skuId: 'mug',
  units: 200,
  crowd: 1_000,
  over_seconds: 5,
  target_seconds: 10,
  ...parts,
});

const limitOf = (...sales: ExpectedSale[]) => chooseLimits(measured, sales).file.limits;

test('services follow from what was measured', () => {
  const { services } = chooseLimits(measured, []).file;
  assert.equal(services, {
    order: { consume_per_second: 14_000, postgres_connections: 8 },
    inventory: { postgres_connections: 6 },
    gateway: {
      max_in_flight: 600,
      shed_after_ms: 100,
      caller_rate_per_second: 56_000,
      caller_rate_burst: 56_000,
      rate_per_second: 50,
      rate_burst: 50,
    },
  });
});

test('what is predicted is a full room at the rate of the path, after the longest wait', () => {
  assert.equal(chooseLimits(measured, []).file.predicted, { per_second: 2_800, p99_ms: 250 });
  const slow = chooseLimits({ ...measured, path_per_second: 100 }, []).file;
  assert.is(slow.services.gateway?.max_in_flight, 64);
  assert.is(slow.predicted.p99_ms, 640 + 100);
});

test('a sku is let what sells it out in time, and what answers everybody within a minute', () => {
  assert.is(limitOf(sale({ units: 2_000, crowd: 2_000 }))[0]?.per_second, 200);
  assert.is(limitOf(sale({ units: 2_000, crowd: 2_000, target_seconds: 4 }))[0]?.per_second, 500);
  assert.is(limitOf(sale({ units: 6, crowd: 3_000 }))[0]?.per_second, 50);
});

test('every sale has its own limit by its own units and crowd; another sale of its store changes nothing', () => {
  const [small, large] = [sale({ skuId: 'small', units: 10, crowd: 60 }), sale({ units: 5_000, crowd: 9_000 })];
  const rates = limitOf(small, large).map(({ per_second }) => per_second);
  assert.equal(rates, [1, 500]);
  assert.is(limitOf(small)[0]?.per_second, rates[0]);
});

test('sales that together want more than the path has are let their share of it', () => {
  const large = sale({ units: 30_000, crowd: 30_000 });
  const limits = limitOf(large, { ...large, skuId: 'other', units: 90_000, crowd: 90_000 });
  assert.equal(
    limits.map(({ per_second }) => per_second),
    [1_000, 3_000],
  );
});

test('the burst is a share of the room, and never more than there are units', () => {
  assert.is(limitOf(sale({ units: 6 }))[0]?.burst, 6);
  assert.is(limitOf(sale({ units: 2_000 }))[0]?.burst, 600);
  const two = limitOf(sale({ units: 2_000 }), sale({ skuId: 'other', units: 2_000 }));
  assert.equal(
    two.map(({ burst }) => burst),
    [300, 300],
  );
});

test('a sale is over when limit and crowd have both got so far', () => {
  // 1000 units at 100 a second after a burst of 600, and the path takes its time.
  assert.is(limitOf(sale({ units: 1_000, crowd: 1_000, over_seconds: 1 }))[0]?.sold_out_after_ms, 4_000 + 150);
  // The crowd comes so slowly that the limit never counts.
  assert.is(limitOf(sale({ units: 10, crowd: 100, over_seconds: 60 }))[0]?.sold_out_after_ms, 6_000 + 150);
});

test('the file reads back, and every choice has a reason', () => {
  const { file, choices } = chooseLimits(measured, sampleSales(new Date('2026-03-04')));
  assert.equal(parseLimits(JSON.stringify(file), 'file'), file);
  assert.is(file.limits.length, 12);
  for (const { variable, because } of choices) assert.ok(because.length > 10, variable);
});

test.run();
