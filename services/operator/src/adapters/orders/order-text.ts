import { type Column, renderFacts, renderTable } from '#libs/terminal/table.js';
import type { HoldStats, Movement } from '../../domain/movement.js';
import { instantJson, instantText } from '../time-text.js';

const columns: Column[] = [
  { title: 'when' },
  { title: 'change' },
  { title: 'units' },
  { title: 'order' },
  { title: 'of' },
  { title: 'by' },
  { title: 'went to' },
  { title: 'why' },
];

/** Movements, the newest first. */
export function movementsTable(movements: readonly Movement[]): string {
  if (movements.length === 0) return 'no unit moved';
  return renderTable(
    columns,
    movements.map((movement) => [
      instantText(movement.at),
      movement.reason,
      unitsText(movement),
      movement.orderId,
      movement.userId || '-',
      movement.changedBy || '-',
      movement.wentTo.join(' ') || '-',
      movement.note || '-',
    ]),
  );
}

/** `free +1, held -1` */
function unitsText({ free, reserved, held, sold }: Movement): string {
  return Object.entries({ free, reserved, held, sold })
    .filter(([, units]) => units !== 0)
    .map(([where, units]) => `${where} ${units > 0 ? '+' : ''}${units}`)
    .join(', ');
}

/** A movement as `--json` prints it; names as in the contracts. */
export function movementJson({
  at,
  skuId,
  orderId,
  orderVersion,
  changedBy,
  userId,
  wentTo,
  ...same
}: Movement): object {
  return {
    at: instantJson(at),
    ...{ sku_id: skuId, order_id: orderId, order_version: orderVersion },
    ...{ changed_by: changedBy, user_id: userId, went_to: wentTo },
    ...same,
  };
}

export function statsText(stats: HoldStats): string {
  const share = (part: number): string => {
    return stats.holds === 0 ? String(part) : `${part} (${Math.round((100 * part) / stats.holds)} %)`;
  };
  return renderFacts([
    ['holds', String(stats.holds)],
    ['paid', share(stats.paid)],
    ['  within 5 min', share(stats.paidIn5)],
    ['  within 10 min', share(stats.paidIn10)],
    ['  within 15 min', share(stats.paidIn15)],
    ['  within 30 min', share(stats.paidIn30)],
    ['expired', share(stats.expired)],
    ['cancelled', share(stats.cancelled)],
    ['still held', share(stats.open)],
    ['held in vain', `${stats.vainUnitMinutes} unit-minutes`],
  ]);
}

export function statsJson(stats: HoldStats): object {
  return {
    ...{ holds: stats.holds, paid: stats.paid, paid_in_5: stats.paidIn5, paid_in_10: stats.paidIn10 },
    ...{ paid_in_15: stats.paidIn15, paid_in_30: stats.paidIn30, expired: stats.expired },
    ...{ cancelled: stats.cancelled, open: stats.open, vain_unit_minutes: stats.vainUnitMinutes },
  };
}
