import { readId, readReason } from './typed.js';

/** Money that a provider took. Amounts in minor units. */
export interface Payment {
  orderId: string;
  storeId: string;
  provider: string;
  providerPaymentId: string;
  amountMinor: number;
  currency: string;
  /** In capitals, such as REFUND_DUE. */
  state: string;
  /** Empty: there is none. */
  issue: string;
  capturedAt?: Date | undefined;
  recordedAt?: Date | undefined;
  refundMinor: number;
  refundId: string;
  refundedAt?: Date | undefined;
  settledBy: string;
  settledReason: string;
}

/** What the money of one provider did on a day. */
export interface MoneyLine {
  provider: string;
  currency: string;
  payments: number;
  capturedMinor: number;
  refundDueMinor: number;
  refundedMinor: number;
  /** The day's payments by the state that they are in now. */
  states: Record<string, number>;
}

export const settleVerbs = ['refund', 'keep', 'write-off'] as const;
export type SettleVerb = (typeof settleVerbs)[number];

/** What is decided of a payment. */
export interface Settlement {
  provider: string;
  providerPaymentId: string;
  verb: SettleVerb;
  reason: string;
}

interface SettlementTyped {
  provider: string;
  payment: string;
  verb: string;
  reason: string | undefined;
}

const paymentForm = /^[\x21-\x7e]{1,255}$/;
const dayForm = /^\d{4}-\d{2}-\d{2}$/;

/** The decision, or all that is wrong with how it was typed. */
export function readSettlement({
  provider,
  payment,
  verb,
  reason,
}: SettlementTyped): Settlement | { problems: string[] } {
  const problems: string[] = [];
  readId('PROVIDER', provider, problems);
  if (!paymentForm.test(payment)) problems.push(`PAYMENT ${JSON.stringify(payment)}: give the provider's id of it`);
  const known = settleVerbs.find((one) => one === verb);
  if (known === undefined) problems.push(`WHAT ${JSON.stringify(verb)}: give refund, keep or write-off`);
  const why = readReason(reason, problems);
  if (problems.length > 0 || known === undefined) return { problems };
  return { provider, providerPaymentId: payment, verb: known, reason: why };
}

/** A store's day, or all that is wrong with how it was typed. The day is today's when none is given. */
export function readDay(
  { store, day, zone }: { store: string | undefined; day: string | undefined; zone: string | undefined },
  now: Date,
): { storeId: string; day: string; timeZone: string } | { problems: string[] } {
  const problems: string[] = [];
  if (store === undefined) problems.push('--store is missing: name the store, or give "" for orders that nobody knows');
  const storeId = store === '' ? '' : (readId('--store', store, problems) ?? '');
  const isDay = day === undefined || (dayForm.test(day) && !Number.isNaN(new Date(`${day}T00:00:00Z`).getTime()));
  if (!isDay) problems.push(`--day ${JSON.stringify(day)}: give a date such as 2026-03-30`);
  if (problems.length > 0) return { problems };
  return { storeId, day: day ?? now.toISOString().slice(0, 10), timeZone: zone ?? '' };
}
