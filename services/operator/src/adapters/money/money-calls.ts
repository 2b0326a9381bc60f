import { randomUUID } from 'node:crypto';
import { MoneyServiceDefinition, SettleVerb } from '#libs/contracts/gen/holdfast/control/v1/money_service.js';
import { PaymentState } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { PaymentIssue, type Payment as PaymentMessage } from '#libs/contracts/gen/holdfast/order/v1/payment.js';
import { Fault } from '#libs/refusal/fault.js';
import type { Money } from '../../app/ports.js';
import type { Payment } from '../../domain/payment.js';
import { enumWord } from '../enum-word.js';
import type { Wire } from '../wire.js';

const verbs = {
  refund: SettleVerb.SETTLE_VERB_REFUND,
  keep: SettleVerb.SETTLE_VERB_KEEP,
  'write-off': SettleVerb.SETTLE_VERB_WRITE_OFF,
} as const;

/** Money as the gateway tells of it. */
export function moneyCalls({ connect, options }: Wire): Money {
  const service = connect(MoneyServiceDefinition);
  return {
    async listIssues(storeId, pageSize, pageToken) {
      const { payments, nextPageToken } = await service.listMoneyIssues({ storeId, pageSize, pageToken }, options);
      return { items: payments.map(toPayment), nextPageToken };
    },
    async settle({ verb, ...settlement }) {
      const request = { ...settlement, verb: verbs[verb], requestId: randomUUID() };
      return toPayment((await service.settleMoney(request, options)).payment);
    },
    report: async (day) => (await service.getMoneyReport(day, options)).lines,
  };
}

function toPayment(message: PaymentMessage | undefined): Payment {
  if (message === undefined) throw new Fault('INTERNAL', 'the gateway answered without the payment');
  return {
    ...message,
    state: enumWord(PaymentState[message.state], 'PAYMENT_STATE_'),
    issue: enumWord(PaymentIssue[message.issue], 'PAYMENT_ISSUE_'),
  };
}
