import { RefundDue } from '#libs/contracts/gen/holdfast/event/v1/payment_event.js';
import type { Consumption, Delivery, Messaging } from '#libs/messaging/messaging.js';
import type { Logger } from '#libs/runtime/logger.js';
import { askRefunds, type RefundAsk } from '../app/ask-refunds.js';
import type { PaymentProvider } from '../app/ports.js';
import type { OrderConfig } from '../config.js';
import { orderEventsSpec, refundEventsPattern } from './streams.js';

/** Longer than the provider may take. */
const ackWaitMs = 90_000;
const againMs = 10_000;

export interface RefundConsumerOptions {
  readonly config: OrderConfig;
  readonly messaging: Messaging;
  readonly provider: PaymentProvider;
  readonly logger: Logger;
}

/** Hears of refunds that are due and asks the provider for them; all order services share the work. */
export function consumeRefunds({ config, messaging, provider, logger }: RefundConsumerOptions): Consumption {
  const failed = (error: unknown): void => logger.warn({ err: error }, 'a refund could not be asked for, it is again');
  return messaging.consume({
    stream: orderEventsSpec(config),
    durable: 'refunds',
    filterSubject: refundEventsPattern,
    ackWaitMs,
    maxMessages: 20,
    maxAckPending: 200,
    stalledAfterMs: 5_000,
    onBatch: (deliveries) => askRefunds(deliveries.map(askOf), provider, failed),
  });
}

function askOf(delivery: Delivery): RefundAsk {
  return {
    refund: refundIn(delivery.data),
    done: () => delivery.ack(),
    again: () => delivery.nak(againMs),
    hopeless: (reason) => delivery.term(reason),
  };
}

function refundIn(data: Uint8Array): RefundDue | undefined {
  try {
    const refund = RefundDue.decode(data);
    return refund.orderId !== '' && refund.number > 0 ? refund : undefined;
  } catch {
    return undefined;
  }
}
