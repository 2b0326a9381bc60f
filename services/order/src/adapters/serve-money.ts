import {
  type GetMoneyReportRequest,
  MoneyServiceDefinition,
  type SettleMoneyRequest,
  SettleVerb,
} from '#libs/contracts/gen/holdfast/control/v1/money_service.js';
import { changeViolations } from '#libs/ledger/control-violations.js';
import type { Ledger } from '#libs/ledger/ledger.js';
import type { SettleVerb as LedgerVerb } from '#libs/ledger/money-issues.js';
import { actorNameOf } from '#libs/rpc/actor.js';
import { implement, type ServiceImplementation } from '#libs/rpc/service.js';
import { toPaymentMessage } from './payment-messages.js';
import { RequestCheck } from './requests.js';

const day = /^\d{4}-\d{2}-\d{2}$/;

const verbs: Readonly<Partial<Record<SettleVerb, LedgerVerb>>> = {
  [SettleVerb.SETTLE_VERB_REFUND]: 'REFUND',
  [SettleVerb.SETTLE_VERB_KEEP]: 'KEEP',
  [SettleVerb.SETTLE_VERB_WRITE_OFF]: 'WRITE_OFF',
};

export interface MoneyOptions {
  readonly ledger: Ledger;
  /** Hears of orders whose state this process changed. */
  readonly changed: (orderIds: readonly string[]) => void;
}

/** The MoneyService on the wire. */
export function moneyService({ ledger, changed }: MoneyOptions): ServiceImplementation {
  return implement(MoneyServiceDefinition, {
    async listMoneyIssues({ storeId, pageSize, pageToken }) {
      new RequestCheck().optional('store_id', storeId, 'id').done();
      const found = await ledger.moneyIssuesList(storeId || undefined, { pageSize, pageToken });
      return { payments: found.payments.map(toPaymentMessage), nextPageToken: found.nextPageToken };
    },

    async settleMoney(request, call) {
      const by = actorNameOf(call);
      const verb = checkSettle(request);
      const { payment } = await ledger.moneySettle({ ...request, verb, by });
      changed([payment.orderId]);
      return { payment: toPaymentMessage(payment) };
    },

    async getMoneyReport(request) {
      checkReport(request);
      const lines = await ledger.moneyReport(request.storeId, request.day, request.timeZone || undefined);
      return { lines };
    },
  });
}

function checkSettle(request: SettleMoneyRequest): LedgerVerb {
  const verb = verbs[request.verb];
  new RequestCheck()
    .field('provider', request.provider, 'id')
    .field('provider_payment_id', request.providerPaymentId, 'longId')
    .that(verb !== undefined, 'verb', 'must be REFUND, KEEP or WRITE_OFF')
    .also(changeViolations(request))
    .done();
  return verb ?? 'WRITE_OFF';
}

function checkReport({ storeId, day: text, timeZone }: GetMoneyReportRequest): void {
  new RequestCheck()
    .optional('store_id', storeId, 'id')
    .that(isDay(text), 'day', 'must be a date such as 2026-03-30')
    .that(timeZone === '' || isZone(timeZone), 'time_zone', 'must be a time zone such as Europe/Berlin')
    .done();
}

/** Also that the month has such a day. */
function isDay(text: string): boolean {
  const midnight = new Date(`${text}T00:00:00Z`);
  return day.test(text) && !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(text);
}

function isZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return true;
  } catch {
    return false;
  }
}
