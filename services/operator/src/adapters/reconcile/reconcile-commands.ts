import type { Command } from 'commander';
import { collectPages } from '../../app/collect-pages.js';
import { readDeed, readNumberOf, readSkuIds } from '../../domain/deed.js';
import { readNumber } from '../../domain/typed.js';
import type { Session } from '../session.js';
import { UsageError } from '../usage-error.js';
import { appliedJson, planJson } from './plan-json.js';
import { appliedText, plansTable, planText } from './plan-table.js';

const planExamples = `
Examples:
  holdfast reconcile plan                       every sku
  holdfast reconcile plan --sku kiln-mug kiln-wheel
  holdfast reconcile plan --json | jq '.plan.findings[] | select(.mended | not)'

Changes nothing in the ledger. What needs no judgement, such as a gate with a wrong figure, mends itself and is only
counted; the rest is kept as a plan. The scheduler makes such plans by itself, every few minutes.`;

const applyExamples = `
Example:
  holdfast reconcile apply 17 --reason "a movement was deleted by hand, see the log of Monday"

Does what the plan says, once, and leaves a trace of every repair. Refused when things are not as the plan found them,
or when it is older than 15 minutes: make a new one.`;

const plansExamples = `
Examples:
  holdfast reconcile plans
  holdfast reconcile plans --limit 5 --json | jq '.plans[].findings_count'`;

const showExamples = `
Example:
  holdfast reconcile show 17`;

/** `holdfast reconcile …`: whether everything fits together, and what is done where it does not. */
export function addReconcileCommands(program: Command, session: Session): void {
  const group = program.command('reconcile').description('whether everything fits together, and repairs');
  group
    .command('plan')
    .description('looks at the ledger, the gate and the stream, and keeps what does not fit')
    .option('--sku <id...>', 'only these skus')
    .addHelpText('after', planExamples)
    .action(({ sku = [] }: { sku?: string[] }) => plan(session, sku));
  group
    .command('apply')
    .description('does what a plan says, once')
    .argument('<plan>', 'its number')
    .option('--reason <why>', 'why; needed')
    .addHelpText('after', applyExamples)
    .action((number: string, { reason }: { reason?: string }) => apply(session, number, reason));
  group
    .command('plans')
    .description('plans, the newest first')
    .option('--limit <n>', 'so many, 1 to 10000', '20')
    .addHelpText('after', plansExamples)
    .action(({ limit }: { limit: string }) => plans(session, limit));
  group
    .command('show')
    .description('a plan with what it found')
    .argument('<plan>', 'its number')
    .addHelpText('after', showExamples)
    .action((number: string) => show(session, number));
}

async function plan(session: Session, typed: readonly string[]): Promise<void> {
  const read = readSkuIds('--sku', typed);
  if ('problems' in read) throw new UsageError(read.problems);
  const made = await session.gateway().reconcile.makePlan(read.skuIds);
  session.show({ plan: planJson(made) }, (paint) => planText(made, paint));
}

async function apply(session: Session, number: string, reason: string | undefined): Promise<void> {
  const read = readDeed({ name: 'PLAN', number, reason });
  if ('problems' in read) throw new UsageError(read.problems);
  const applied = await session.gateway().reconcile.applyPlan(read.number, read.reason);
  session.show(appliedJson(applied), (paint) => appliedText(applied, paint));
}

async function plans(session: Session, typed: string): Promise<void> {
  const problems: string[] = [];
  const limit = readNumber({ name: '--limit', text: typed, low: 1, high: 10_000 }, problems);
  if (limit === undefined) throw new UsageError(problems);
  const { reconcile } = session.gateway();
  const { items, isMore } = await collectPages((size, token) => reconcile.listPlans(size, token), limit);
  session.show({ plans: items.map(planJson), is_more: isMore }, (paint) => plansTable(items, paint));
}

async function show(session: Session, number: string): Promise<void> {
  const read = readNumberOf('PLAN', number);
  if ('problems' in read) throw new UsageError(read.problems);
  const shown = await session.gateway().reconcile.getPlan(read.number);
  session.show({ plan: planJson(shown) }, (paint) => planText(shown, paint));
}
