import { setTimeout as sleep } from 'node:timers/promises';
import { signWebhook } from '#libs/webhook/signature.js';
import type { Payment, Refund } from './till.js';

/** What is told to whoever sells, in the words of docs/payments.md. */
export interface Notice {
  /** The same for every time it is sent. */
  readonly id: string;
  readonly type: 'payment.captured' | 'payment.failed' | 'refund.succeeded';
  readonly at: Date;
  readonly data: Readonly<Record<string, string | number>>;
}

/** How a notice goes astray. */
export interface Delivery {
  readonly delayMs: number;
  /** How often it is told, whatever the answers. */
  readonly times: number;
}

export interface NoticePostOptions {
  /** Where notices go; absent: nowhere. */
  readonly url: string | undefined;
  readonly secret: string;
  readonly closing: AbortSignal;
  /** Hears of each try that was not answered with 2xx. */
  readonly failed: (notice: Notice, why: unknown) => void;
}

const tryDeadlineMs = 5_000;
const pausesMs = [200, 500, 1_000, 2_000, 5_000, 10_000];
const tries = 200;

/** Sends notices, each again and again until somebody says 2xx. What waits is in memory. */
export class NoticePost {
  readonly #options: NoticePostOptions;
  readonly #under = new Set<Promise<void>>();

  constructor(options: NoticePostOptions) {
    this.#options = options;
  }

  send(notice: Notice, { delayMs, times }: Delivery = { delayMs: 0, times: 1 }): void {
    for (let time = 0; time < times; time += 1) {
      const sending = this.#send(notice, delayMs)
        .catch((error: unknown) => this.#options.failed(notice, error))
        .finally(() => this.#under.delete(sending));
      this.#under.add(sending);
    }
  }

  /** Resolves when nothing is under way any more; abort `closing` first. */
  async close(): Promise<void> {
    await Promise.all(this.#under);
  }

  async #send(notice: Notice, delayMs: number): Promise<void> {
    const { closing, failed, url } = this.#options;
    if (url === undefined) return;
    await rest(delayMs, closing);
    for (let tried = 0; tried < tries && !closing.aborted; tried += 1) {
      try {
        return await this.#try(notice, url);
      } catch (error) {
        failed(notice, error);
        await rest(pausesMs[Math.min(tried, pausesMs.length - 1)] ?? 0, closing);
      }
    }
  }

  async #try({ id, type, at, data }: Notice, url: string): Promise<void> {
    const body = JSON.stringify({ type, timestamp: at.toISOString(), data });
    // The signature says when it was sent, not when it happened.
    const signed = signWebhook(this.#options.secret, { id, at: new Date(), body });
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...signed },
      body,
      signal: AbortSignal.timeout(tryDeadlineMs),
    });
    const answer = await response.text();
    if (!response.ok) throw new Error(`${response.status} ${answer.slice(0, 300)}`);
  }
}

export function paymentNotice(payment: Payment): Notice {
  const { paymentId, sessionId, orderId, attempt, amountMinor, currency, outcome, at } = payment;
  const told = { order_id: orderId, attempt, session_id: sessionId, provider_payment_id: paymentId };
  if (outcome === 'FAILED') {
    return { id: `msg_${paymentId}`, type: 'payment.failed', at, data: { ...told, why: 'declined' } };
  }
  const money = { amount_minor: amountMinor, currency, captured_at: at.toISOString() };
  return { id: `msg_${paymentId}`, type: 'payment.captured', at, data: { ...told, ...money } };
}

export function refundNotice({ refundId, orderId, paymentId, amountMinor, currency, at }: Refund): Notice {
  const money = { amount_minor: amountMinor, currency, refunded_at: at.toISOString() };
  const data = { order_id: orderId, provider_payment_id: paymentId, refund_id: refundId, ...money };
  return { id: `msg_${refundId}`, type: 'refund.succeeded', at, data };
}

async function rest(ms: number, closing: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal: closing }).catch(() => undefined);
}
