import { createHash, timingSafeEqual } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FastifyInstance, type FastifyRequest, fastify } from 'fastify';
import { checkoutPage } from './checkout-page.js';
import { type NoticePost, paymentNotice, refundNotice } from './notices.js';
import { pressBody, refundBody, sessionBody } from './schemas.js';
import { type Payment, type Press, type Session, type Till, TillRefusal } from './till.js';

export interface SandboxHttpOptions {
  readonly till: Till;
  readonly notices: NoticePost;
  readonly key: string;
  /** How long it thinks before it opens a session. */
  readonly thinkMs: number;
  /** Base of the page that a customer is sent to; absent: as the request came. */
  readonly checkoutUrl?: string | undefined;
}

// What the schemas of the routes let through.
interface SessionBody {
  order_id: string;
  attempt: number;
  amount_minor: number;
  currency: string;
  ends_at: string;
}
interface RefundBody {
  order_id: string;
  number: number;
  provider_payment_id: string;
  amount_minor: number;
  currency: string;
}
interface PressBody {
  outcome?: 'pay' | 'fail';
  amount_minor?: number;
  currency?: string;
  even_if_ended?: boolean;
  notice?: { delay_ms?: number; times?: number; failed_before?: boolean };
}

/** The provider's side of docs/payments.md, and what a customer sees: a page with a button, and its press. */
export function createHttp(options: SandboxHttpOptions): FastifyInstance {
  const app = fastify({ forceCloseConnections: true });
  app.setErrorHandler((error, _, reply) => {
    const status = error instanceof TillRefusal ? error.status : ((error as { statusCode?: number }).statusCode ?? 500);
    return reply.code(status).send({ error: (error as Error).message });
  });
  // The button of the page is a form without fields.
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, _body, done) => {
    done(null, {});
  });
  app.register(async (guarded) => shopRoutes(guarded, options));
  customerRoutes(app, options);
  return app;
}

/** For whoever sells, with the key. */
function shopRoutes(app: FastifyInstance, { till, notices, key, thinkMs, checkoutUrl }: SandboxHttpOptions): void {
  app.addHook('onRequest', async (request, reply) => {
    if (!isKey(request, key)) return reply.code(401).send({ error: 'the key is not right' });
  });
  app.post('/v1/sessions', { schema: { body: sessionBody } }, async (request) => {
    const body = request.body as SessionBody;
    await sleep(thinkMs);
    const session = till.open({
      orderId: body.order_id,
      attempt: body.attempt,
      amountMinor: body.amount_minor,
      currency: body.currency,
      endsAt: new Date(body.ends_at),
    });
    return sessionJson(session, checkoutUrl ?? `${request.protocol}://${request.host}`);
  });
  app.post<{ Params: { id: string } }>('/v1/sessions/:id/end', async ({ params }) => {
    till.end(params.id);
    return {};
  });
  app.post('/v1/refunds', { schema: { body: refundBody } }, async (request) => {
    const { order_id: orderId, number, provider_payment_id: paymentId, currency, ...rest } = request.body as RefundBody;
    const { refund, isNew } = till.refund({ orderId, number, paymentId, currency, amountMinor: rest.amount_minor });
    if (isNew) notices.send(refundNotice(refund));
    return { refund_id: refund.refundId };
  });
  app.get<{ Params: { id: string } }>('/v1/orders/:id', async ({ params }) => {
    const { sessions, payments, refunds } = till.ofOrder(params.id);
    return {
      sessions: sessions.map(({ sessionId, attempt, state }) => ({ session_id: sessionId, attempt, state })),
      payments: payments.map(paymentJson),
      refunds: refunds.map(({ refundId, amountMinor }) => ({ refund_id: refundId, amount_minor: amountMinor })),
    };
  });
}

/** For the customer, who has no key. */
function customerRoutes(app: FastifyInstance, { till, notices }: SandboxHttpOptions): void {
  app.get<{ Params: { id: string } }>('/checkout/:id', async ({ params }, reply) => {
    return reply.type('text/html; charset=utf-8').send(checkoutPage(till.session(params.id)));
  });
  app.post<{ Params: { id: string } }>(
    '/checkout/:id/press',
    { schema: { body: pressBody } },
    async ({ params, body }) => {
      const { notice = {}, ...press } = (body ?? {}) as PressBody;
      const { delay_ms: delayMs = 0, times = 1, failed_before: failedBefore = false } = notice;
      const failed = failedBefore ? till.press(params.id, { outcome: 'FAILED' }) : undefined;
      const payment = till.press(params.id, pressOf(press));
      notices.send(paymentNotice(payment), { delayMs, times });
      // What happened first is told last.
      if (failed) notices.send(paymentNotice(failed), { delayMs: delayMs + outOfOrderMs, times: 1 });
      return paymentJson(payment);
    },
  );
}

const outOfOrderMs = 300;

function pressOf({ outcome = 'pay', amount_minor, currency, even_if_ended }: PressBody): Press {
  return {
    outcome: outcome === 'pay' ? 'CAPTURED' : 'FAILED',
    ...(amount_minor !== undefined && { amountMinor: amount_minor }),
    ...(currency !== undefined && { currency }),
    ...(even_if_ended !== undefined && { evenIfEnded: even_if_ended }),
  };
}

function isKey({ headers }: FastifyRequest, key: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(headers.authorization ?? ''), digest(`Bearer ${key}`));
}

function sessionJson({ sessionId, endsAt }: Session, base: string) {
  return {
    session_id: sessionId,
    url: `${base}/checkout/${sessionId}`,
    parameters: { client_token: sessionId },
    ends_at: endsAt.toISOString(),
  };
}

function paymentJson({ paymentId, outcome, amountMinor, currency }: Payment) {
  return { provider_payment_id: paymentId, outcome, amount_minor: amountMinor, currency };
}
