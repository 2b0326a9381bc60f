import { assert, suite } from '#libs/testing/suite.js';
import { busyShare, type Costs, needOf } from './model.js';

const test = suite('capacity model');

const costs: Costs = {
  held: { cpuUs: { gateway: 300, redis: 60, postgres: 100 }, transactions: 0.1 },
  refused: { cpuUs: { bff: 100, gateway: 200, redis: 6 }, transactions: 0 },
  ledgerOrdersPerSecond: 10_000,
};

test('cores are what both kinds of requests cost, none busier than planned', () => {
  const { cores, allCores } = needOf(costs, { perSecond: 10_000, heldShare: 0.1 });
  const gateway = (1_000 * 300 + 9_000 * 200) / 1e6 / busyShare;
  assert.ok(Math.abs((cores.gateway ?? 0) - gateway) < 1e-9);
  assert.ok(Math.abs((cores.bff ?? 0) - (9_000 * 100) / 1e6 / busyShare) < 1e-9);
  assert.ok(Math.abs(allCores - Object.values(cores).reduce((sum, one) => sum + one, 0)) < 1e-9);
});

test('Redis is divided when one core is not enough, and a ledger when its orders are too many', () => {
  assert.is(needOf(costs, { perSecond: 1_000, heldShare: 0.01 }).redisShards, 1);
  assert.is(needOf(costs, { perSecond: 1_000_000, heldShare: 0 }).redisShards, 10);
  assert.is(needOf(costs, { perSecond: 1_000_000, heldShare: 0.006 }).ledgers, 1);
  assert.is(needOf(costs, { perSecond: 1_000_000, heldShare: 0.0061 }).ledgers, 2);
});

test('refusals alone need no transaction', () => {
  assert.is(needOf(costs, { perSecond: 50_000, heldShare: 0 }).transactionsPerSecond, 0);
});

test.run();
