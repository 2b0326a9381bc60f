import type { Command } from 'commander';
import { Fault } from '#libs/refusal/fault.js';
import { applyLimits } from '../../app/apply-limits.js';
import { setLimits } from '../../app/set-limits.js';
import { showLimits } from '../../app/show-limits.js';
import { readLimitChange, type TypedChange } from '../../domain/limit-change.js';
import { readId } from '../../domain/typed.js';
import { NotAllApplied } from '../failure.js';
import { noSkus } from '../no-skus.js';
import type { Session } from '../session.js';
import { UsageError } from '../usage-error.js';
import { readChanges } from './limits-changes.js';
import { appliedJson, changedJson, limitsJson } from './limits-json.js';
import { appliedTable, changedTable, limitsTable } from './limits-table.js';

const showExamples = `
Examples:
  holdfast limits show --store kiln             the store and all its skus
  holdfast limits show --sku kiln-mug           one sku; its store is looked up
  holdfast limits show --store kiln --json | jq '.skus[] | select(.source == "sku")'

A sku has its own limit, else its store's, else what the gateways are configured with; "set by" says which.`;

const setExamples = `
Examples:
  holdfast limits set --store kiln --sku kiln-mug --rate 400 --burst 400
  holdfast limits set --store kiln --rate 100 --burst 200       every sku of the store without a limit of its own
  holdfast limits set --store kiln --sku kiln-mug --clear       back to the store's limit
  holdfast limits set --store kiln --sku kiln-mug --on-busy fail
  holdfast limits set --store kiln --require-issued-request-id true
  holdfast limits set --store kiln --unfulfilled 1              one appointment at a time
  holdfast limits set --store kiln --group trial --per-attendee 1
  holdfast limits set --store kiln --open-orders none

What is not named stays as it is. Gateways follow rates within seconds; what a person may have holds with the answer, and
what people have already counts. A sku's group is its limit_group.`;

const applyExamples = `
Example:
  npm run calibrate && holdfast limits apply .holdfast/limits.json

Sets the limits of stores and skus that the file has. What it has for services is given to them when they start
(npm start reads .holdfast/limits.json). A sku that is not there stops nothing and is listed.`;

/** `holdfast limits …`: how many requests are let through. */
export function addLimitsCommands(program: Command, session: Session): void {
  const limits = program.command('limits').description('how many requests are let through, and who says so');

  limits
    .command('show')
    .description('shows the limits of a store, or of one sku')
    .option('--store <id>', 'the store')
    .option('--sku <id>', 'only this sku')
    .addHelpText('after', showExamples)
    .action((options: { store?: string; sku?: string }) => show(session, options));

  limits
    .command('set')
    .description('sets what a store, or one sku, has of its own')
    .option('--store <id>', 'the store')
    .option('--sku <id>', 'this sku of it; without, the store itself')
    .option('--rate <n>', 'requests let through a second, 1 to 1000000; with --burst')
    .option('--burst <n>', 'requests let through at once after a rest, 1 to 1000000; with --rate')
    .option('--clear', 'no rate limit of its own any longer')
    .option('--on-busy <what>', 'queue: a place in line; fail: refused. Of a sku')
    .option(
      '--per-attendee <n>',
      'units that one attendee may have of all its skus, or none. Of a store, or with --group',
    )
    .option('--group <id>', 'the group of skus that --per-attendee is for')
    .option('--open-orders <n>', 'unpaid orders of one user at once, or none. Of a store')
    .option('--unfulfilled <n>', 'orders of one user that are not used yet, or none. Of a store')
    .option('--require-issued-request-id <bool>', 'true: only request ids that the gateway issued. Of a store')
    .addHelpText('after', setExamples)
    .action((options: TypedChange) => set(session, options));

  limits
    .command('apply')
    .description('sets what a limits file has for stores and skus')
    .argument('<file>', 'as npm run calibrate writes it')
    .addHelpText('after', applyExamples)
    .action((file: string) => apply(session, file));
}

async function show(session: Session, { store, sku }: { store?: string; sku?: string }): Promise<void> {
  const problems: string[] = [];
  const [storeId, skuId] = [readId('--store', store, problems), readId('--sku', sku, problems)];
  if (store === undefined && sku === undefined) problems.push('name a store with --store, or a sku with --sku');
  if (problems.length > 0) throw new UsageError(problems);
  const shown = await showLimits(session.gateway(), {
    ...(storeId !== undefined && { storeId }),
    ...(skuId !== undefined && { skuId }),
  });
  if (skuId !== undefined && shown.skus.length === 0) {
    throw new Fault('SKU_NOT_FOUND', `store ${shown.store.storeId} has no sku ${skuId}`);
  }
  session.show(limitsJson(shown), (paint) => limitsTable(shown, paint));
  if (shown.skus.length === 0) session.screen.warn(noSkus(shown.store.storeId));
}

async function set(session: Session, typed: TypedChange): Promise<void> {
  const read = readLimitChange(typed);
  if ('problems' in read) throw new UsageError(read.problems);
  const changed = await setLimits(session.gateway().limits, read.change);
  session.show(changedJson(changed), (paint) => changedTable(changed, paint));
  if (changed.hasNoSkus) session.screen.warn(noSkus(read.change.storeId));
}

async function apply(session: Session, path: string): Promise<void> {
  const changes = readChanges(path);
  const { applied, failed } = await applyLimits(session.gateway().limits, changes);
  session.show(appliedJson(applied, failed), (paint) => appliedTable(applied, paint));
  if (failed.length > 0) throw new NotAllApplied(failed);
}
