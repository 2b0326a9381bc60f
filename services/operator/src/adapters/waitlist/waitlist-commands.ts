import type { Command } from 'commander';
import { type Column, renderTable } from '#libs/terminal/table.js';
import type { Gateway } from '../../app/ports.js';
import { readSkuChange } from '../../domain/sku-change.js';
import { readId, readNumber } from '../../domain/typed.js';
import type { WaitersPage } from '../../domain/waiter.js';
import type { Session } from '../session.js';
import { instantJson, instantText } from '../time-text.js';
import { UsageError } from '../usage-error.js';

const listExamples = `
Examples:
  holdfast waitlist list yoga-monday
  holdfast waitlist list yoga-monday --limit 500 --json | jq -r '.waiters[].user_id'`;

const pauseExamples = `
Example:
  holdfast waitlist pause yoga-monday --reason "the room may change"

What comes free from now on is offered to nobody, and kept for those who wait. People join and leave as before.`;

const resumeExamples = `
Example:
  holdfast waitlist resume yoga-monday --reason "the room is the same"

What came free meanwhile is offered at once.`;

const columns: Column[] = [
  { title: 'place', side: 'right' },
  { title: 'since' },
  { title: 'user' },
  { title: 'units', side: 'right' },
  { title: 'passed over' },
  { title: 'entry' },
];

/** `holdfast waitlist …`: who waits for a sku, and whether they are served. */
export function addWaitlistCommands(program: Command, session: Session): void {
  const waitlist = program.command('waitlist').description('who waits for what is sold out');
  waitlist
    .command('list')
    .description('who waits for a sku, from the head of the line')
    .argument('<sku>', 'its id')
    .option('--limit <n>', 'so many at most, 1 to 500', '50')
    .addHelpText('after', listExamples)
    .action((skuId: string, { limit }: { limit: string }) => list(session, skuId, limit));
  for (const [verb, description, examples] of [
    ['pause', 'offers what comes free to nobody, and keeps it for them', pauseExamples],
    ['resume', 'ends a pause, and offers what came free meanwhile', resumeExamples],
  ] as const) {
    waitlist
      .command(verb)
      .description(description)
      .argument('<sku>', 'its id')
      .option('--reason <why>', 'why; needed')
      .addHelpText('after', examples)
      .action((skuId: string, { reason }: { reason?: string }) => setPaused(session, { verb, skuId, reason }));
  }
}

async function list(session: Session, typedSku: string, typedLimit: string): Promise<void> {
  const problems: string[] = [];
  const skuId = readId('SKU', typedSku, problems);
  const limit = readNumber({ name: '--limit', text: typedLimit, low: 1, high: 500 }, problems);
  if (skuId === undefined || limit === undefined) throw new UsageError(problems);
  const gateway = session.gateway();
  const page = await gateway.waitlists.listWaiters(await named(gateway, skuId), limit, '');
  session.show(listJson(page), () => listText(page));
}

function listJson({ items, waiting, reserved, paused, nextPageToken }: WaitersPage): object {
  const waiters = items.map((waiter) => ({
    entry_id: waiter.entryId,
    user_id: waiter.userId,
    quantity: waiter.quantity,
    people_ahead: waiter.peopleAhead,
    joined_at: instantJson(waiter.joinedAt),
    barred_reason: waiter.barredReason || null,
  }));
  return { waiting, reserved, paused, waiters, is_more: nextPageToken !== '' };
}

function listText({ items, waiting, reserved, paused, nextPageToken }: WaitersPage): string {
  const head = `${waiting.toLocaleString('en-US')} wait, ${reserved.toLocaleString('en-US')} units are kept for them${paused ? '; paused' : ''}`;
  if (items.length === 0) return head;
  const rows = items.map((waiter) => [
    (waiter.peopleAhead + 1).toLocaleString('en-US'),
    instantText(waiter.joinedAt),
    waiter.userId,
    String(waiter.quantity),
    waiter.barredReason || '-',
    waiter.entryId,
  ]);
  return [head, renderTable(columns, rows), ...(nextPageToken === '' ? [] : ['and more'])].join('\n\n');
}

async function setPaused(
  session: Session,
  { verb, skuId, reason }: { verb: 'pause' | 'resume'; skuId: string; reason: string | undefined },
): Promise<void> {
  const read = readSkuChange({ sku: skuId, ...(reason !== undefined && { reason }) });
  if ('problems' in read) throw new UsageError(read.problems ?? []);
  const gateway = session.gateway();
  const sku = await named(gateway, read.skuId);
  if (verb === 'pause') {
    await gateway.waitlists.pauseWaitlist(sku, read.reason);
    session.show({ paused: true }, () => 'what comes free is kept for those who wait');
    return;
  }
  const promoted = await gateway.waitlists.resumeWaitlist(sku, read.reason);
  session.show({ paused: false, promoted }, () => `what comes free is offered again, to ${promoted} at once`);
}

/** The store of a sku is looked up. */
async function named({ skus }: Gateway, skuId: string): Promise<{ storeId: string; skuId: string }> {
  const { storeId } = (await skus.getSku(skuId)).sku;
  return { storeId, skuId };
}
