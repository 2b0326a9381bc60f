import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type PaymentSession, PaymentSessionState } from '#libs/contracts/gen/holdfast/order/v1/payment.js';
import { Fault } from '#libs/refusal/fault.js';
import { disbelief, type ReceivedWebhook } from '#libs/webhook/signature.js';
import { paymentAnswer } from './answer-schemas.js';
import type { Gateway } from './gateway.js';
import { callerOf } from './identity.js';
import { type Notice, readNotice } from './payment-notice.js';
import { sendHttpProblem } from './problem.js';
import { idOf, resource } from './resource.js';
import { emptyBody, noQuery, noticeBody, orderParams, providerParams, webhookHeaders } from './schemas.js';

/** The secrets of each provider; more than one while one is replaced. */
export type NoticeSecrets = ReadonlyMap<string, readonly string[]>;

const noticeDoc = {
  id: 'takePaymentNotice',
  tag: 'payments',
  summary: 'Takes what a payment provider tells, signed as Standard Webhooks 1.0 has it',
  answers: { 204: 'It is recorded, or is nothing that is to be recorded' },
  reasons: ['NOTICE_NOT_BELIEVED', 'PAYMENT_NOT_FOUND', 'ORDER_STATE', 'REQUEST_ID_REUSED'],
  body: noticeBody,
  headers: webhookHeaders,
  mayLack: 'provider',
} as const;

/** Paying: how an order is to be paid, and what providers tell. */
export function paymentRoutes(app: FastifyInstance, gateway: Gateway, secrets: NoticeSecrets): void {
  resource(app, '/v1/orders/:id/payment', {
    POST: {
      forUser: true,
      doc: {
        id: 'startPayment',
        tag: 'payments',
        summary: 'The way to pay an order: the one that is open, or a new one',
        answers: { 200: 'How to pay' },
        reasons: ['ORDER_NOT_FOUND', 'ORDER_PENDING', 'ORDER_STATE', 'PAYMENTS_NOT_OFFERED'],
      },
      schema: { params: orderParams, querystring: noQuery, body: emptyBody, response: { 200: paymentAnswer } },
      async handler(request, reply) {
        const start = { orderId: idOf(request), requestId: request.id };
        return reply.send(sessionJson(await gateway.startPayment(callerOf(request), start)));
      },
    },
  });
  // The signature is over the bytes that came: here nothing is parsed before.
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    resource(scope, '/v1/payments/notices/:provider', {
      POST: {
        forUser: false,
        keyless: true,
        doc: noticeDoc,
        schema: { params: providerParams, querystring: noQuery },
        handler: (request, reply) => takeNotice(gateway, secrets, { request, reply }),
      },
    });
  });
}

/** 204 once what the notice says is recorded, or says nothing that is to be recorded. */
async function takeNotice(
  gateway: Gateway,
  secrets: NoticeSecrets,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): Promise<FastifyReply> {
  const { provider } = request.params as { provider: string };
  const known = secrets.get(provider);
  if (known === undefined) return sendHttpProblem('RESOURCE_NOT_FOUND', request, reply);
  const webhook = receivedWebhook(request);
  const why = disbelief(known, webhook, new Date());
  if (why !== undefined) {
    throw new Fault('NOTICE_NOT_BELIEVED', 'The notice is not signed as it must be', { metadata: { why } });
  }
  // The same for every time that it is sent: it is carried out once.
  const notice = readNotice(provider, webhook.id ?? '', webhook.body);
  if (notice !== undefined) await record(gateway, notice);
  return reply.code(204).send();
}

function receivedWebhook({ headers, body }: FastifyRequest): ReceivedWebhook {
  const one = (name: string): string | undefined => {
    const value = headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  return {
    id: one('webhook-id'),
    timestamp: one('webhook-timestamp'),
    signature: one('webhook-signature'),
    body: body instanceof Uint8Array ? body : new Uint8Array(),
  };
}

async function record(gateway: Gateway, notice: Notice): Promise<void> {
  switch (notice.type) {
    case 'payment.captured':
      await gateway.confirmPayment(notice.payment);
      return;
    case 'payment.failed':
      await gateway.failPayment(notice.failure);
      return;
    case 'refund.succeeded':
      await gateway.recordRefund(notice.refund);
  }
}

function sessionJson(session: PaymentSession | undefined) {
  if (session === undefined) throw new Error('the gateway gave no session');
  return {
    order_id: session.orderId,
    attempt: session.attempt,
    provider: session.provider,
    session_id: session.sessionId,
    state: (PaymentSessionState[session.state] ?? '').slice('PAYMENT_SESSION_STATE_'.length),
    amount_minor: String(session.amountMinor),
    currency: session.currency,
    parameters: session.parameters,
    url: session.url || undefined,
    ends_at: session.endsAt?.toISOString(),
  };
}
