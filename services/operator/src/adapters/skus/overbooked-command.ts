import type { Command } from 'commander';
import type { Paint } from '#libs/terminal/paint.js';
import { renderTable } from '#libs/terminal/table.js';
import { listOverbooked, type Overbooked } from '../../app/list-overbooked.js';
import { type Moved, moveOverbooked } from '../../app/move-overbooked.js';
import { readId } from '../../domain/typed.js';
import type { Session } from '../session.js';
import { orderJson } from '../stories/story-json.js';
import { ordersTable } from '../stories/story-table.js';
import { UsageError } from '../usage-error.js';
import { skuJson } from './sku-json.js';
import { nameLine } from './sku-table.js';

const examples = `
Examples:
  holdfast overbooked yoga-monday
  holdfast overbooked yoga-monday --move-to yoga-tuesday
  holdfast overbooked yoga-monday --json | jq -r '.orders[].order_id'

A sku is overbooked when its capacity was set below what was taken. Those who came last are listed, as many as it takes.
Orders that end make it less so by themselves. --move-to moves them to another sku of the store at the same price: each keeps
its state and its payment, and one that finds no room there, or not under the limits, stays.`;

/** `holdfast overbooked SKU`: whose orders are too many. */
export function addOverbookedCommand(program: Command, session: Session): void {
  program
    .command('overbooked')
    .description('the latest orders that make a sku overbooked')
    .argument('<sku>', 'its id')
    .option('--move-to <sku>', 'moves them there, the latest first')
    .addHelpText('after', examples)
    .action((skuId: string, { moveTo }: { moveTo?: string }) => overbooked(session, skuId, moveTo));
}

async function overbooked(session: Session, typed: string, target: string | undefined): Promise<void> {
  const problems: string[] = [];
  const skuId = readId('SKU', typed, problems);
  const toSkuId = readId('--move-to', target, problems);
  if (skuId === undefined || problems.length > 0) throw new UsageError(problems);
  if (toSkuId !== undefined) return move(session, skuId, toSkuId);
  const listed = await listOverbooked(session.gateway().skus, skuId);
  const { sku, orders, isMore } = listed;
  session.show({ sku: skuJson(sku), orders: orders.map(orderJson), is_more: isMore }, (paint) => table(listed, paint));
}

function table({ sku, orders, isMore }: Overbooked, paint: Paint): string {
  if (sku.overbooked === 0) return `${nameLine(sku, paint)}\nit is not overbooked`;
  const by = paint('red', `overbooked by ${sku.overbooked.toLocaleString('en-US')}`);
  const list = [`${nameLine(sku, paint)}\n${by}, the latest first`, ordersTable(orders, paint)];
  return [...list, ...(isMore ? ['and more'] : [])].join('\n\n');
}

async function move(session: Session, skuId: string, toSkuId: string): Promise<void> {
  const { sku, moved } = await moveOverbooked(session.gateway().skus, { skuId, toSkuId });
  const json = moved.map(({ order, refusal }) => ({ order_id: order.orderId, refusal: refusal || null }));
  session.show({ sku: skuJson(sku), moved: json }, (paint) => movedTable(sku, moved, { toSkuId, paint }));
}

function movedTable(
  sku: Overbooked['sku'],
  moved: readonly Moved[],
  { toSkuId, paint }: { toSkuId: string; paint: Paint },
): string {
  const left = sku.overbooked === 0 ? 'it is not overbooked' : paint('red', `it is overbooked by ${sku.overbooked}`);
  const columns = ['order', 'user', 'now'].map((title) => ({ title }));
  const rows = moved.map(({ order, refusal }) => [
    order.orderId,
    order.userId,
    refusal === '' ? `at ${toSkuId}` : paint('yellow', `stays: ${refusal}`),
  ]);
  return [`${nameLine(sku, paint)}\n${left}`, ...(rows.length > 0 ? [renderTable(columns, rows)] : [])].join('\n\n');
}
