import type { Ledger, Movement } from './ledger.js';

type Broken = [law: string, what: string];
interface Terms {
  free: number;
  held: number;
  sold: number;
}

/** Counts the ledger anew from its orders and its movements, knowing none of its rules. Undefined: every law holds. */
export function audit(ledger: Ledger): Broken | undefined {
  return auditOrders(ledger) ?? auditStock(ledger) ?? auditMovements(ledger.movements) ?? auditMoney(ledger);
}

function auditOrders({ rows }: Ledger): Broken | undefined {
  const ids = new Set<string>();
  const requests = new Set<string>();
  for (const { order } of rows) {
    const request = `${order.userId} ${order.requestId}`;
    if (ids.has(order.orderId) || requests.has(request))
      return ['L4', `${order.userId} has two orders for one request`];
    ids.add(order.orderId);
    requests.add(request);
  }
  return undefined;
}

function auditStock({ skus, rows, movements }: Ledger): Broken | undefined {
  for (const stock of skus.values()) {
    const { skuId, capacity, overbooked, free, held, sold } = stock;
    const words = `${skuId} has capacity ${capacity} + ${overbooked}, free ${free}, held ${held}, sold ${sold}`;
    if (held + sold > capacity + overbooked) return ['L2', words];
    if (free < 0 || held < 0 || sold < 0 || capacity + overbooked !== free + held + sold) return ['L1', words];
    const counted: Terms = { free, held: 0, sold: 0 };
    for (const { order } of rows) {
      const units = order.lines.find((line) => line.skuId === skuId)?.quantity ?? 0;
      if (order.state === 'HELD') counted.held += units;
      else if (order.state === 'CONFIRMED' || order.state === 'FULFILLED') counted.sold += units;
    }
    if (counted.held !== held || counted.sold !== sold)
      return ['L1', `${words}; its orders hold ${counted.held} and bought ${counted.sold}`];
    const moved = sumOf(movements, skuId);
    if (moved.held !== held || moved.sold !== sold)
      return ['L3', `${words}; its movements say ${moved.held} and ${moved.sold}`];
  }
  return undefined;
}

function sumOf(movements: readonly Movement[], skuId: string): Terms {
  const sum: Terms = { free: 0, held: 0, sold: 0 };
  for (const moved of movements) {
    if (moved.skuId !== skuId) continue;
    sum.held += moved.held;
    sum.sold += moved.sold;
  }
  return sum;
}

function auditMovements(movements: readonly Movement[]): Broken | undefined {
  const keys = new Set<string>();
  for (const { row, skuId, version, free, held, sold, overbooked, reason, atMs, expiresAt } of movements) {
    const key = `${row.order.orderId} ${skuId} ${version}`;
    if (keys.has(key)) return ['L3', `${row.order.userId} moved ${skuId} twice in version ${version}`];
    keys.add(key);
    if (free + held + sold + overbooked !== 0) return ['L3', `a movement of ${skuId} makes or loses units`];
    const dueMs = expiresAt?.getTime();
    if (dueMs === undefined || reason === 'ADMIT') continue;
    if (reason === 'EXPIRE' && atMs < dueMs) return ['L9', `${row.order.userId} expired ${dueMs - atMs} ms too early`];
    if (reason === 'PAY' && atMs >= dueMs) return ['L9', `${row.order.userId} paid ${atMs - dueMs} ms too late`];
  }
  return undefined;
}

function auditMoney({ rows, payments }: Ledger): Broken | undefined {
  const seen = new Set<string>();
  for (const { paymentId, orderId, state, refunds } of payments) {
    if (seen.has(paymentId)) return ['L8', `payment ${paymentId} counts twice`];
    seen.add(paymentId);
    if (refunds !== (state === 'CAPTURED' ? 0 : 1))
      return ['L8', `payment ${paymentId} is ${state} with ${refunds} refunds`];
    const order = rows.find((row) => row.order.orderId === orderId)?.order;
    const isPaid = order?.state === 'CONFIRMED' || order?.state === 'FULFILLED';
    if (state === 'CAPTURED' && !isPaid)
      return ['L8', `payment ${paymentId} is kept for an order that is ${order?.state}`];
  }
  for (const { order } of rows) {
    if (order.state !== 'CONFIRMED' && order.state !== 'FULFILLED') continue;
    const kept = payments.filter(({ orderId, state }) => orderId === order.orderId && state === 'CAPTURED').length;
    if (kept !== 1) return ['L8', `${order.userId} is ${order.state} with ${kept} payments`];
  }
  return undefined;
}
