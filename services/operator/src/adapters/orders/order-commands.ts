import type { Command } from 'commander';
import { listMovements } from '../../app/list-movements.js';
import { readMovementsWanted, readStatsWanted } from '../../domain/movement.js';
import { readOrderId } from '../../domain/story.js';
import { readId } from '../../domain/typed.js';
import type { Session } from '../session.js';
import { instantJson, instantText } from '../time-text.js';
import { UsageError } from '../usage-error.js';
import { movementJson, movementsTable, statsJson, statsText } from './order-text.js';

const fulfilExamples = `
Examples:
  holdfast orders fulfil K7QX2M9D --store kiln                      by the code that the customer shows
  holdfast orders fulfil 0197b2c4-1f5e-8a3c-9d21-6b1f0c2d3e4f       by the order's id

Case does not count in a code, nor do O and 0, or I, L and 1. The second time changes nothing and says when the first was.`;

const statsExamples = `
Examples:
  holdfast holds stats --store kiln                 of the last 24 hours
  holdfast holds stats --sku kiln-mug --since 2h
  holdfast holds stats --sku kiln-mug --json | jq .stats.vain_unit_minutes`;

const movementsExamples = `
Examples:
  holdfast movements --sku kiln-mug
  holdfast movements --sku kiln-mug --since 2h --why expire       units that came back because nobody paid
  holdfast movements --sku kiln-mug --json | jq -r '.movements[] | [.at, .reason, .order_id] | @tsv'`;

interface Typed {
  store?: string;
  sku?: string;
  since?: string;
  why?: string;
}

/** `holdfast orders …`, `holds …` and `movements`: what becomes of orders and their units. */
export function addOrderCommands(program: Command, session: Session): void {
  const orders = program.command('orders').description('what is done with an order at the door');
  orders
    .command('fulfil')
    .description('notes that an order was used up')
    .argument('<order>', 'its code, or its id')
    .option('--store <id>', 'the store of the code')
    .addHelpText('after', fulfilExamples)
    .action((order: string, { store }: Typed) => fulfil(session, order, store));
  const holds = program.command('holds').description('how long units are held, and for what');
  holds
    .command('stats')
    .description('how the holds of a store or a sku ended')
    .option('--store <id>', 'all skus of a store')
    .option('--sku <id>', 'one sku')
    .option('--since <duration>', 'holds made within it, like 2h; 24h')
    .addHelpText('after', statsExamples)
    .action((typed: Typed) => stats(session, typed));
  program
    .command('movements')
    .description('where the units of a sku went: when, why, by whom and to whom')
    .option('--sku <id>', 'the sku; needed')
    .option('--since <duration>', 'within it, like 2h')
    .option('--why <change>', 'of one kind, like expire, pay, move or cancel (cancel-part is one, too)')
    .addHelpText('after', movementsExamples)
    .action((typed: Typed) => movements(session, typed));
}

async function fulfil(session: Session, order: string, store: string | undefined): Promise<void> {
  const which = readWhich(order, store);
  if ('problems' in which) throw new UsageError(which.problems);
  const { orderId, userId, fulfilledAt, changed } = await session.gateway().orders.fulfil(which);
  const result = { order_id: orderId, user_id: userId, fulfilled_at: instantJson(fulfilledAt), changed };
  session.show(result, (paint) =>
    changed
      ? paint('green', `order ${orderId} of ${userId} is fulfilled`)
      : paint('yellow', `order ${orderId} of ${userId} was fulfilled already, at ${instantText(fulfilledAt)}`),
  );
}

/** With a store it is a code, without one an id. */
function readWhich(
  order: string,
  store: string | undefined,
): { orderId: string } | { storeId: string; code: string } | { problems: string[] } {
  if (store === undefined) return readOrderId(order);
  const problems: string[] = [];
  const storeId = readId('--store', store, problems) ?? '';
  if (!/^[0-9A-Za-z -]{8,20}$/.test(order)) problems.push(`ORDER ${JSON.stringify(order)}: a code has 8 characters`);
  return problems.length > 0 ? { problems } : { storeId, code: order };
}

async function stats(session: Session, typed: Typed): Promise<void> {
  const read = readStatsWanted(typed, new Date());
  if ('problems' in read) throw new UsageError(read.problems);
  const found = await session.gateway().orders.holdStats(read);
  session.show({ since: instantJson(read.since), stats: statsJson(found) }, () => statsText(found));
}

async function movements(session: Session, typed: Typed): Promise<void> {
  const read = readMovementsWanted(typed, new Date());
  if ('problems' in read) throw new UsageError(read.problems);
  const { orders, skus } = session.gateway();
  const found = await listMovements(orders, read);
  // A sku that nobody knows has no movements either: it is refused as not found.
  if (found.length === 0) await skus.getSku(read.skuId);
  session.show({ movements: found.map(movementJson) }, () => movementsTable(found));
}
