import type { Paint } from '#libs/terminal/paint.js';
import { type Column, renderTable } from '#libs/terminal/table.js';
import type { MoneyLine, Payment } from '../../domain/payment.js';
import { priceText } from '../skus/sku-table.js';
import { instantText } from '../time-text.js';

const paymentColumns: Column[] = [
  { title: 'issue' },
  { title: 'amount', side: 'right' },
  { title: 'state' },
  { title: 'recorded' },
  { title: 'provider' },
  { title: 'payment' },
  { title: 'order' },
  { title: 'settled' },
];

const lineColumns: Column[] = [
  { title: 'provider' },
  { title: 'payments', side: 'right' },
  { title: 'captured', side: 'right' },
  { title: 'refund due', side: 'right' },
  { title: 'refunded', side: 'right' },
  { title: 'the captured are now' },
];

/** Payments that somebody has to look at, the oldest first. */
export function issuesTable(payments: readonly Payment[], paint: Paint): string {
  if (payments.length === 0) return paint('green', 'no money waits for anybody');
  return paymentRows(payments, paint);
}

export function paymentRows(payments: readonly Payment[], paint: Paint): string {
  return renderTable(
    paymentColumns,
    payments.map((payment) => [
      payment.settledBy === '' ? paint('red', payment.issue || '-') : payment.issue || '-',
      priceText(payment.amountMinor, payment.currency),
      payment.state,
      instantText(payment.recordedAt),
      payment.provider,
      payment.providerPaymentId,
      payment.orderId,
      payment.settledBy === '' ? '-' : `by ${payment.settledBy}: ${payment.settledReason}`,
    ]),
  );
}

/** The sums of a day. */
export function reportTable(lines: readonly MoneyLine[]): string {
  if (lines.length === 0) return 'no money moved on that day';
  return renderTable(
    lineColumns,
    lines.map(({ provider, currency, payments, capturedMinor, refundDueMinor, refundedMinor, states }) => [
      provider,
      String(payments),
      ...[capturedMinor, refundDueMinor, refundedMinor].map((minor) => priceText(minor, currency)),
      Object.entries(states)
        .map(([state, minor]) => `${state} ${priceText(minor, currency)}`)
        .join(', '),
    ]),
  );
}
