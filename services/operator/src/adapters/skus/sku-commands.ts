import type { Command } from 'commander';
import { type Fault, faultOf } from '#libs/refusal/fault.js';
import { cancelSku } from '../../app/cancel-sku.js';
import { pauseSku } from '../../app/pause-sku.js';
import { resumeSku } from '../../app/resume-sku.js';
import { setCapacity } from '../../app/set-capacity.js';
import { showSku } from '../../app/show-sku.js';
import { readCapacity, readSkuChange, type TypedCapacity } from '../../domain/sku-change.js';
import { readId } from '../../domain/typed.js';
import { CommandFailed } from '../failure.js';
import type { Session } from '../session.js';
import { UsageError } from '../usage-error.js';
import { shownJson, skuJson, unitsJson } from './sku-json.js';
import { nameLine, shownTable, stockedText } from './sku-table.js';

const showExamples = `
Examples:
  holdfast sku show kiln-mug
  holdfast sku show kiln-mug --json | jq .availability.free`;

const pauseExamples = `
Example:
  holdfast sku pause kiln-mug --reason "the price is wrong"

Nobody can begin an order of it from now on; orders and holds that there are stay, and can be paid.`;

const resumeExamples = `
Example:
  holdfast sku resume kiln-mug --reason "the price is right"

It is sold again by its terms.`;

const cancelExamples = `
Example:
  holdfast sku cancel yoga-monday --reason "the teacher is ill"

Nobody can begin an order of it from now on, for good. All its orders are cancelled and what was paid goes back, within
minutes; what was used already stays. Whoever wants it is told that it was cancelled, and not why.`;

const capacityExamples = `
Examples:
  holdfast sku set-capacity kiln-mug 120 --reason "20 more came"
  holdfast sku set-capacity kiln-mug 80 --force --reason "a table broke"

Fewer than are taken is refused, with the figure. With --force all that is taken stays: the sku is overbooked by the
difference, nothing is free, and units that come back shrink the difference first.`;

/** `holdfast sku …` for one sku: terms, units, pause, capacity. */
export function addSkuCommands(sku: Command, session: Session): void {
  sku
    .command('show')
    .description('terms, units, and the switches that bear on it')
    .argument('<sku>', 'its id')
    .addHelpText('after', showExamples)
    .action((skuId: string) => show(session, skuId));
  sku
    .command('pause')
    .description('stops its sale at once')
    .argument('<sku>', 'its id')
    .option('--reason <why>', 'why; needed')
    .addHelpText('after', pauseExamples)
    .action((skuId: string, { reason }: { reason?: string }) => pause(session, skuId, reason, pauseSku));
  sku
    .command('resume')
    .description('ends a pause')
    .argument('<sku>', 'its id')
    .option('--reason <why>', 'why; needed')
    .addHelpText('after', resumeExamples)
    .action((skuId: string, { reason }: { reason?: string }) => pause(session, skuId, reason, resumeSku));
  sku
    .command('cancel')
    .description('cancels its sale for good, with all its orders')
    .argument('<sku>', 'its id')
    .option('--reason <why>', 'why; needed')
    .addHelpText('after', cancelExamples)
    .action((skuId: string, { reason }: { reason?: string }) => pause(session, skuId, reason, cancelSku));
  sku
    .command('set-capacity')
    .description('says how many units there are')
    .argument('<sku>', 'its id')
    .argument('<n>', 'units, 0 to 1000000000')
    .option('--reason <why>', 'why; needed')
    .option('--force', 'also fewer than are taken')
    .addHelpText('after', capacityExamples)
    .action((skuId: string, capacity: string, options: Pick<TypedCapacity, 'reason' | 'force'>) =>
      changeCapacity(session, { ...options, sku: skuId, capacity }),
    );
}

async function show(session: Session, typed: string): Promise<void> {
  const problems: string[] = [];
  const skuId = readId('SKU', typed, problems);
  if (skuId === undefined) throw new UsageError(problems);
  const now = new Date();
  const shown = await showSku(session.gateway(), skuId, now);
  session.show(shownJson(shown), (paint) => shownTable(shown, paint, now));
}

async function pause(
  session: Session,
  typed: string,
  reason: string | undefined,
  change: typeof pauseSku,
): Promise<void> {
  const read = readSkuChange({ sku: typed, ...(reason !== undefined && { reason }) });
  if ('problems' in read) throw new UsageError(read.problems ?? []);
  const sku = await change(session.gateway().skus, read.skuId, read.reason);
  const what = sku.cancelledAt
    ? 'nobody can begin an order of it; its orders are cancelled one after the other'
    : sku.paused
      ? 'nobody can begin an order of it until it is resumed'
      : 'it is sold by its terms';
  session.show({ sku: skuJson(sku) }, (paint) => `${nameLine(sku, paint)}\n${what}`);
}

async function changeCapacity(session: Session, typed: TypedCapacity): Promise<void> {
  const read = readCapacity(typed);
  if (!('skuId' in read)) throw new UsageError(read.problems);
  try {
    const { sku, units } = await setCapacity(session.gateway().skus, read);
    session.show({ sku: skuJson(sku), availability: unitsJson(units) }, (paint) => stockedText({ sku, units }, paint));
  } catch (error) {
    const fault = faultOf(error);
    throw fault.reason === 'CAPACITY_BELOW_TAKEN' ? belowTaken(fault, read) : error;
  }
}

function belowTaken(
  { metadata, message }: Fault,
  { skuId, capacity }: { skuId: string; capacity: number },
): CommandFailed {
  const taken = Number(metadata.taken);
  if (!Number.isInteger(taken))
    return new CommandFailed('CAPACITY_BELOW_TAKEN', [message], '--force sets it all the same');
  const advice = `--force sets it all the same: ${taken} stay taken, ${skuId} is overbooked by ${taken - capacity} until as many come back`;
  return new CommandFailed(
    'CAPACITY_BELOW_TAKEN',
    [`${taken} units of ${skuId} are taken, more than ${capacity}`],
    advice,
  );
}
