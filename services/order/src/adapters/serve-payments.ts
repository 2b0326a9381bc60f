import { PaymentState } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import type {
  ConfirmPaymentRequest,
  FailPaymentRequest,
  OrderServiceDefinition,
  RecordRefundRequest,
} from '#libs/contracts/gen/holdfast/order/v1/order_service.js';
import { PaymentIssue } from '#libs/contracts/gen/holdfast/order/v1/payment.js';
import { toOrderMessage } from '#libs/contracts/order-messages.js';
import type { Ledger } from '#libs/ledger/ledger.js';
import type { CapturedPayment, FailedPayment } from '#libs/ledger/payments.js';
import type { Handlers } from '#libs/rpc/service.js';
import type { changeOrders } from '../app/change-orders.js';
import type { endSessions } from '../app/end-sessions.js';
import type { startPayment } from '../app/start-payment.js';
import { toPaymentMessage, toSessionMessage } from './payment-messages.js';
import { RequestCheck } from './requests.js';

const usualBatch = 500;
const usualSessions = 50;
const largestBatch = 1_000;

export interface PaymentVerbs {
  readonly ledger: Ledger;
  readonly change: ReturnType<typeof changeOrders>;
  readonly startPayment: ReturnType<typeof startPayment>;
  readonly endSessions: ReturnType<typeof endSessions>;
}

type PaymentHandlers = Pick<
  Handlers<typeof OrderServiceDefinition>,
  'startPayment' | 'confirmPayment' | 'failPayment' | 'recordRefund' | 'applyParkedPayments' | 'endPaymentSessions'
>;

/** The part of the OrderService that is about money. */
export function paymentHandlers({ ledger, change, startPayment, endSessions }: PaymentVerbs): PaymentHandlers {
  return {
    async startPayment(request) {
      new RequestCheck().field('user_id', request.userId, 'id').field('request_id', request.requestId, 'longId').done();
      return { session: toSessionMessage(await startPayment(request)) };
    },

    async confirmPayment(request) {
      checkPayment(request);
      const { order, payment } = await change.confirmPayment(capturedIn(request));
      const { state, issue } = payment;
      return {
        order: order && toOrderMessage(order),
        paymentState: PaymentState[`PAYMENT_STATE_${state}`],
        ...(issue && { issue: PaymentIssue[`PAYMENT_ISSUE_${issue}`] }),
      };
    },

    async failPayment(request) {
      checkFailure(request);
      return { order: toOrderMessage(await change.failPayment(failedIn(request))) };
    },

    async recordRefund(request) {
      checkRefund(request);
      const { payment } = await ledger.refundRecord(request);
      return { payment: toPaymentMessage(payment) };
    },

    async applyParkedPayments({ batchSize }) {
      checkBatch(batchSize);
      return change.applyParked(batchSize || usualBatch);
    },

    async endPaymentSessions({ batchSize }) {
      checkBatch(batchSize);
      return endSessions(batchSize || usualSessions);
    },
  };
}

function capturedIn({ attempt, capturedAt, ...request }: ConfirmPaymentRequest): CapturedPayment {
  return { ...request, ...(attempt && { attempt }), ...(capturedAt && { capturedAt }) };
}

function failedIn({ providerPaymentId, sessionId, attempt, ...request }: FailPaymentRequest): FailedPayment {
  return {
    ...request,
    ...(providerPaymentId !== '' && { providerPaymentId }),
    ...(sessionId !== '' && { sessionId }),
    ...(attempt > 0 && { attempt }),
  };
}

function checkBatch(batchSize: number): void {
  const allowed = batchSize >= 0 && batchSize <= largestBatch;
  new RequestCheck().that(allowed, 'batch_size', `must be 0 to ${largestBatch}`).done();
}

function checkPayment(request: ConfirmPaymentRequest): void {
  new RequestCheck()
    .field('provider', request.provider, 'id')
    .field('provider_payment_id', request.providerPaymentId, 'longId')
    .that(request.amountMinor >= 0, 'amount_minor', 'must not be negative')
    .field('currency', request.currency, 'currency')
    .that((request.attempt ?? 0) >= 0, 'attempt', 'must not be negative')
    .field('request_id', request.requestId, 'longId')
    .done();
}

function checkFailure(request: FailPaymentRequest): void {
  const { providerPaymentId, sessionId, attempt } = request;
  const isNamed = providerPaymentId !== '' || sessionId !== '' || attempt > 0;
  new RequestCheck()
    .field('provider', request.provider, 'id')
    .that(isNamed, 'provider_payment_id', 'must be given, or session_id or attempt in its place')
    .optional('provider_payment_id', providerPaymentId, 'longId')
    .optional('session_id', sessionId, 'longId')
    .that(attempt >= 0, 'attempt', 'must not be negative')
    .field('why', request.why, 'freeText')
    .field('request_id', request.requestId, 'longId')
    .done();
}

function checkRefund(request: RecordRefundRequest): void {
  new RequestCheck()
    .field('provider', request.provider, 'id')
    .field('provider_payment_id', request.providerPaymentId, 'longId')
    .field('refund_id', request.refundId, 'longId')
    .that(request.amountMinor > 0, 'amount_minor', 'must be more than 0')
    .field('currency', request.currency, 'currency')
    .field('request_id', request.requestId, 'longId')
    .done();
}
