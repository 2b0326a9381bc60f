import type { Command } from 'commander';
import type { Paint } from '#libs/terminal/paint.js';
import { listOverbooked, type Overbooked } from '../../app/list-overbooked.js';
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
  holdfast overbooked yoga-monday --json | jq -r '.orders[].order_id'

A sku is overbooked when its capacity was set below what was taken. Those who came last are listed, as many as it takes.
Orders that end make it less so by themselves.`;

/** `holdfast overbooked SKU`: whose orders are too many. */
export function addOverbookedCommand(program: Command, session: Session): void {
  program
    .command('overbooked')
    .description('the latest orders that make a sku overbooked')
    .argument('<sku>', 'its id')
    .addHelpText('after', examples)
    .action((skuId: string) => overbooked(session, skuId));
}

async function overbooked(session: Session, typed: string): Promise<void> {
  const problems: string[] = [];
  const skuId = readId('SKU', typed, problems);
  if (skuId === undefined) throw new UsageError(problems);
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
