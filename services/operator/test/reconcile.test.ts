import { PlanState } from '#libs/contracts/gen/holdfast/control/v1/reconcile_service.js';
import { Fault } from '#libs/refusal/fault.js';
import { assert, suite } from '#libs/testing/suite.js';
import { holdfast } from './command-line.js';
import { everyAnswer } from './commands.js';
import { type FakeGateway, startFakeGateway } from './fake-gateway.js';
import { plan, proof } from './repair-samples.js';

const test = suite('holdfast prove and reconcile');
let gateway: FakeGateway;

test.before(async () => {
  gateway = await startFakeGateway();
});
test.before.each(() => {
  gateway.asked = [];
  gateway.script = { ...everyAnswer };
});
test.after(() => gateway.close());

const run = (...args: string[]) => holdfast(['--gateway', gateway.address, ...args]);

test('a proof shows every figure three times, gate and stream beside them, and the sum', async () => {
  const { code, out } = await run('prove', 'kiln-mug');
  assert.is(code, 0);
  assert.match(out, / +kept +of orders +of movements\ncapacity +100 +100 +100\n/);
  assert.match(out, /orders +8 HELD, 25 CONFIRMED\n/);
  assert.match(out, /gate +would let 57 in, 3 undecided of 2 claims, the oldest 40 ms\n/);
  assert.match(out, /stream +2 claims of its shard wait\n/);
  assert.match(out, /\nconserved: 100 \+ 0 = 60 free \+ 0 reserved \+ 10 held \+ 30 sold; not oversold\n$/);
});

test('a proof that fails ends with 1, says what fails, and what to do next', async () => {
  const kept = { capacity: 100, overbooked: 0, free: 60, reserved: 0, held: 12, sold: 30 };
  gateway.script.proveSku = { ...proof, kept, conserved: false, findings: plan.findings, gate: undefined };
  const { code, out, err } = await run('prove', 'kiln-mug');
  assert.is(code, 1);
  assert.match(out, /held +12 +10 +10\n/);
  assert.match(
    out,
    /COUNTER_WRONG of kiln-mug\n +figures +held 12, of_orders \(held 10\)\n +remedy +sets held to 10\n/,
  );
  assert.match(out, /gate +Redis does not answer, or there is none\n/);
  assert.match(err, /^the figures of kiln-mug do not agree\nnext: holdfast reconcile plan --sku kiln-mug/);
  gateway.script.proveSku = { ...proof, oversold: true };
  const oversold = await run('prove', 'kiln-mug', '--json');
  assert.is(oversold.code, 1);
  assert.is(JSON.parse(oversold.out).oversold, true);
  assert.is(JSON.parse(oversold.err).error.reason, 'OVERSOLD');
});

test('a plan lists what does not fit, and the command that mends it', async () => {
  const { code, out } = await run('reconcile', 'plan', '--sku', 'kiln-mug', 'kiln-wheel');
  assert.is(code, 0);
  assert.equal(gateway.requests('planReconcile')[0]?.skuIds, ['kiln-mug', 'kiln-wheel']);
  assert.match(out, /17 +open +2026-03-02 09:00:00Z +scheduler +1,000 +100,000 +2 +1 +- +-\n/);
  assert.match(out, /GATE_WRONG of kiln-mug\n +figures +let_in 99\n +remedy +it has mended itself\n/);
  assert.match(out, /\n1 to decide; next: holdfast reconcile apply 17 --reason/);
});

test('a plan without findings says that everything fits', async () => {
  const clean = { ...plan, state: PlanState.PLAN_STATE_CLEAN, findings: [], findingsCount: 0, mended: 0 };
  gateway.script.planReconcile = { plan: clean };
  assert.match((await run('reconcile', 'plan')).out, /\neverything fits together\n$/);
});

test('apply sends the plan and why; a stale one is told with what to do', async () => {
  const { code, out } = await run('reconcile', 'apply', '17', '--reason', 'deleted by hand');
  assert.is(code, 0);
  assert.match(out, /17 +applied .* anna\n/);
  const mended =
    /\nmended:\nCOUNTER_WRONG of kiln-mug\n +figures +held 12, of_orders \(held 10\)\n +done +sets held to 10\n/;
  assert.match(out, mended);
  assert.match(out, /\n1 mended\n$/);
  assert.is(out.includes('GATE_WRONG'), false);
  const [{ requestId, ...sent } = { requestId: '' }] = gateway.requests('applyReconcile');
  assert.equal(sent, { planId: 17, reason: 'deleted by hand' });
  assert.ok(requestId);
  gateway.script.applyReconcile = new Fault('PLAN_STALE', 'the findings differ');
  const stale = await run('reconcile', 'apply', '17', '--reason', 'deleted by hand');
  assert.is(stale.code, 1);
  assert.match(stale.err, /^the findings differ\nnothing was changed; holdfast reconcile plan looks again/);
});

test('apply tells what it left to a person, and programs both by name', async () => {
  const [first] = plan.findings;
  assert.ok(first);
  const findings = [...plan.findings, { ...first, kind: 'ORDER_WITHOUT_MOVEMENT', remedy: '', mended: false }];
  const applied = { ...plan, state: PlanState.PLAN_STATE_APPLIED, findings, findingsCount: 3 };
  gateway.script.applyReconcile = { plan: applied };
  const { out } = await run('reconcile', 'apply', '17', '--reason', 'deleted by hand');
  assert.match(out, /\nleft as it is:\nORDER_WITHOUT_MOVEMENT of kiln-mug\n/);
  assert.match(out, /\n1 mended, 1 left: a person has to look\n$/);
  const told = JSON.parse((await run('reconcile', 'apply', '17', '--reason', 'deleted by hand', '--json')).out);
  const kinds = (list: { kind: string }[]): string[] => list.map(({ kind }) => kind);
  assert.equal([kinds(told.repaired), kinds(told.left)], [['COUNTER_WRONG'], ['ORDER_WITHOUT_MOVEMENT']]);
});

test('plans and show read what was kept; figures are JSON to programs', async () => {
  assert.match((await run('reconcile', 'plans')).out, /plan +state +made at/);
  const shown = JSON.parse((await run('reconcile', 'show', '17', '--json')).out);
  assert.equal(shown.plan.findings[0].detail, { held: 12, of_orders: { held: 10 } });
  assert.is(gateway.requests('getPlan')[0]?.planId, 17);
});

test.run();
