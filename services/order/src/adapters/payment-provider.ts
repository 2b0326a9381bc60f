import { Fault } from '#libs/refusal/fault.js';
import type { OpenedSession, PaymentProvider } from '../app/ports.js';

export interface PaymentProviderOptions {
  readonly name: string;
  /** Base URL. */
  readonly url: string;
  /** Sent as a bearer token. */
  readonly key: string;
  readonly deadlineMs: number;
}

interface SessionAnswer {
  readonly session_id?: unknown;
  readonly url?: unknown;
  readonly parameters?: unknown;
}

/**
 * A provider over HTTP, as docs/payments.md describes it: JSON, an `Idempotency-Key` on each call, and a deadline after
 * which the outcome is unknown.
 */
export function httpPaymentProvider({ name, url, key, deadlineMs }: PaymentProviderOptions): PaymentProvider {
  async function post(path: string, idempotencyKey: string, body: object): Promise<unknown> {
    let response: Response;
    try {
      response = await fetch(new URL(path, url), {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'idempotency-key': idempotencyKey,
        },
        body: JSON.stringify(body),
        redirect: 'error',
        signal: AbortSignal.timeout(deadlineMs),
      });
      if (response.ok) return await response.json();
    } catch (error) {
      throw new Fault('UNAVAILABLE', 'the payment provider did not answer in time', { cause: error });
    }
    const answer = await response.text().catch(() => '');
    const cause = new Error(`${name} answered ${response.status} to ${path}: ${answer.slice(0, 500)}`);
    const mayPass = response.status >= 500 || response.status === 408 || response.status === 429;
    if (mayPass) throw new Fault('UNAVAILABLE', 'the payment provider could not do it now', { cause });
    throw new Fault('INTERNAL', 'the payment provider refused', { cause });
  }

  return {
    name,
    async createSession({ orderId, attempt, amountMinor, currency, endsAt }) {
      const body = { order_id: orderId, attempt, amount_minor: amountMinor, currency, ends_at: endsAt.toISOString() };
      return toSession((await post('/v1/sessions', `${orderId}.${attempt}`, body)) as SessionAnswer);
    },
    async endSession(sessionId) {
      await post(`/v1/sessions/${encodeURIComponent(sessionId)}/end`, `${sessionId}.end`, {});
    },
    async refund({ orderId, number, providerPaymentId, amountMinor, currency, reason }) {
      const payment = { provider_payment_id: providerPaymentId, amount_minor: amountMinor, currency };
      const body = { order_id: orderId, number, ...payment, reason };
      await post('/v1/refunds', `${orderId}.refund.${number}`, body);
    },
  };
}

function toSession({ session_id: sessionId, url, parameters }: SessionAnswer): OpenedSession {
  const given = Object.entries(parameters ?? {});
  const isSession = typeof sessionId === 'string' && sessionId !== '' && (url === undefined || typeof url === 'string');
  if (!isSession || given.some(([, value]) => typeof value !== 'string')) {
    throw new Fault('INTERNAL', 'the payment provider gave no session', { cause: new Error('not a session') });
  }
  return { sessionId, url: (url as string | undefined) ?? '', parameters: Object.fromEntries(given) };
}
