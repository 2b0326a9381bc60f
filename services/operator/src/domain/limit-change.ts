import { readId } from './typed.js';

/** What becomes of a request beyond the rate limit of its sku. */
export type OnBusy = 'queue' | 'fail';

/** How many requests for one sku are let through. */
export interface Rate {
  perSecond: number;
  burst: number;
}

/** What to set for a store, or for one of its skus. What is absent is left as it is. */
export interface LimitChange {
  storeId: string;
  /** Absent: the store's own. */
  skuId?: string;
  /** 'clear': no rate limit of its own any longer. */
  rate?: Rate | 'clear';
  /** Of a sku only. */
  onBusy?: OnBusy;
  /** Of a store only. */
  requireIssuedRequestId?: boolean;
  /** What one person may have beyond one sku, of a store only. 0: no limit. */
  perAttendeeLimit?: number;
  openOrdersPerUser?: number;
  unfulfilledPerUser?: number;
  /** Of this group of skus, in place of the store; with perAttendeeLimit only. */
  groupId?: string;
}

/** A change as it was typed. */
export interface TypedChange {
  store?: string;
  sku?: string;
  rate?: string;
  burst?: string;
  clear?: boolean;
  onBusy?: string;
  requireIssuedRequestId?: string;
  perAttendee?: string;
  openOrders?: string;
  unfulfilled?: string;
  group?: string;
}

const highest = 1_000_000;

/** The change that was meant, or everything that is wrong with it, one line each. */
export function readLimitChange(typed: TypedChange): { change: LimitChange } | { problems: string[] } {
  const problems: string[] = [];
  const storeId = readId('--store', typed.store, problems);
  if (typed.store === undefined) problems.push('--store is missing: name the store, for example --store kiln');
  const skuId = readId('--sku', typed.sku, problems);
  const rate = readRate(typed, problems);
  const onBusy = readOnBusy(typed, problems);
  const requireIssuedRequestId = readRequirement(typed, problems);
  const orderLimits = readOrderLimits(typed, problems);
  const others = [rate, onBusy, requireIssuedRequestId, ...Object.values(orderLimits)];
  if (others.every((value) => value === undefined) && problems.length === 0) {
    problems.push('nothing is to be set: name a rate, what happens when it is busy, or what a person may have');
  }
  if (problems.length > 0) return { problems };
  return {
    change: {
      storeId: storeId ?? '',
      ...(skuId !== undefined && { skuId }),
      ...(rate !== undefined && { rate }),
      ...(onBusy !== undefined && { onBusy }),
      ...(requireIssuedRequestId !== undefined && { requireIssuedRequestId }),
      ...orderLimits,
    },
  };
}

function readRate({ rate, burst, clear }: TypedChange, problems: string[]): Rate | 'clear' | undefined {
  if (clear === true) {
    if (rate !== undefined || burst !== undefined) problems.push('--clear goes without --rate and --burst');
    return 'clear';
  }
  if (rate === undefined && burst === undefined) return undefined;
  if (burst === undefined) problems.push('--burst is missing: how many may come at once, for example --burst 50');
  if (rate === undefined) problems.push('--rate is missing: how many a second are let through, for example --rate 50');
  return { perSecond: readFigure('--rate', rate, problems), burst: readFigure('--burst', burst, problems) };
}

function readFigure(option: string, text: string | undefined, problems: string[]): number {
  if (text === undefined) return 0;
  const value = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > highest) problems.push(`${option} ${text}: give a whole number from 1 to ${highest}`);
  return value;
}

function readOnBusy({ onBusy, sku }: TypedChange, problems: string[]): OnBusy | undefined {
  if (onBusy === undefined) return undefined;
  if (sku === undefined) problems.push('--on-busy is set for a sku: name it with --sku');
  if (onBusy === 'queue' || onBusy === 'fail') return onBusy;
  problems.push(`--on-busy ${onBusy}: give queue or fail`);
  return undefined;
}

function readRequirement({ requireIssuedRequestId: text, sku }: TypedChange, problems: string[]): boolean | undefined {
  if (text === undefined) return undefined;
  if (sku !== undefined) problems.push('--require-issued-request-id is set for a whole store: leave --sku out');
  if (text === 'true' || text === 'false') return text === 'true';
  problems.push(`--require-issued-request-id ${text}: give true or false`);
  return undefined;
}

/** What a person may have beyond one sku; `none` is no limit. */
function readOrderLimits(
  { perAttendee, openOrders, unfulfilled, group, sku }: TypedChange,
  problems: string[],
): Pick<LimitChange, 'perAttendeeLimit' | 'openOrdersPerUser' | 'unfulfilledPerUser' | 'groupId'> {
  const read = (option: string, text: string | undefined): number | undefined => {
    if (text === undefined) return undefined;
    if (sku !== undefined) problems.push(`${option} is set for a whole store: leave --sku out`);
    return text === 'none' ? 0 : readFigure(option, text, problems);
  };
  const groupId = readId('--group', group, problems);
  if (group !== undefined && perAttendee === undefined) problems.push('--group goes with --per-attendee');
  if (group !== undefined && (openOrders !== undefined || unfulfilled !== undefined)) {
    problems.push('--group goes without --open-orders and --unfulfilled');
  }
  const perAttendeeLimit = read('--per-attendee', perAttendee);
  const openOrdersPerUser = read('--open-orders', openOrders);
  const unfulfilledPerUser = read('--unfulfilled', unfulfilled);
  return {
    ...(perAttendeeLimit !== undefined && { perAttendeeLimit }),
    ...(openOrdersPerUser !== undefined && { openOrdersPerUser }),
    ...(unfulfilledPerUser !== undefined && { unfulfilledPerUser }),
    ...(groupId !== undefined && { groupId }),
  };
}
