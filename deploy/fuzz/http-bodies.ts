import { Agent, request } from 'node:http';
import type { Random } from '../rush/random.js';
import type { Findings, Told } from './findings.js';
import { mutateBytes, mutateJson, oddText, pick } from './mutate.js';
import type { Person } from './people.js';

const TIMEOUT_MS = 20_000;
const ANSWER_MAX_BYTES = 1_000_000;
/** Ids of nothing. */
const NO_ORDER = 'cdfe1f14-0162-8645-8785-32a325436e8a';

interface Shot {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer;
}

interface Route {
  method: string;
  path: (id: string) => string;
  body?: unknown;
}

/** Sends changed requests over HTTP to every route, on connections that live on. */
export class HttpBodies {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });
  readonly #routes: readonly [Route, ...Route[]];

  constructor(
    private readonly base: string,
    private readonly people: readonly [Person, ...Person[]],
    { storeId, skuId }: { storeId: string; skuId: string },
  ) {
    const lines = [{ sku_id: skuId, quantity: 1, attendee_id: 'child' }];
    this.#routes = [
      { method: 'POST', path: () => '/v1/orders', body: { store_id: storeId, on_busy: 'fail', lines } },
      { method: 'POST', path: () => '/v1/orders', body: { store_id: storeId, lines, on_sold_out: 'refuse' } },
      { method: 'POST', path: () => '/v1/request-ids', body: { store_id: storeId, sku_id: skuId } },
      { method: 'POST', path: (id) => `/v1/orders/${id}:cancel`, body: { reason: 'changed' } },
      { method: 'POST', path: (id) => `/v1/orders/${id}/cancel-lines`, body: { lines, reason: '' } },
      { method: 'POST', path: (id) => `/v1/orders/${id}/move`, body: { to_sku_id: skuId, from_sku_id: skuId } },
      { method: 'POST', path: (id) => `/v1/orders/${id}/extend`, body: {} },
      { method: 'POST', path: (id) => `/v1/orders/${id}/payment`, body: {} },
      { method: 'POST', path: (id) => `/v1/waitlist/${id}:accept` },
      { method: 'DELETE', path: (id) => `/v1/waitlist/${id}` },
      { method: 'POST', path: () => '/v1/payments/notices/sandbox', body: { type: 'payment.captured', data: {} } },
      { method: 'GET', path: (id) => `/v1/orders/${id}` },
      { method: 'GET', path: (id) => `/v1/skus/${id}` },
      { method: 'GET', path: (id) => `/v1/skus/${id}/availability` },
      { method: 'GET', path: (id) => `/v1/me/orders?page_token=${id}` },
      { method: 'GET', path: (id) => `/v1/stores/${id}/skus/${id}/place` },
      { method: 'GET', path: (id) => `/v1/stores/${id}/skus?page_size=${id}&starts_after=${id}` },
      { method: 'PUT', path: (id) => `/v1/${id}`, body: [] },
    ];
  }

  async shoot(random: Random, findings: Findings): Promise<void> {
    const shot = this.#shot(random);
    findings.note(await this.#send(shot), () => `${shot.method} ${shot.path} ${shot.body}`);
  }

  close(): void {
    this.#agent.destroy();
  }

  #shot(random: Random): Shot {
    const { method, path, body } = pick(random, this.#routes);
    const id = random.next() < 0.5 ? NO_ORDER : encodeURIComponent(wellFormed(oddText(random))) || 'x';
    // Some are as they should be: units move, and somebody is told.
    const sent = random.next() < 0.03 ? body : mutateJson(random, body);
    const json = body === undefined ? '' : JSON.stringify(sent);
    const bytes = Buffer.from(json);
    const key = random.next() < 0.9 ? `fuzz-${random.integer(0, 2 ** 31)}` : headerText(oddText(random));
    return {
      method,
      path: random.next() < 0.05 ? `${path(id)}?${headerText(oddText(random)).replaceAll(/\s/g, '+')}` : path(id),
      body: random.next() < 0.2 ? mutateBytes(random, bytes) : bytes,
      headers: {
        ...pick(random, this.people).headers,
        'content-type': random.next() < 0.97 ? 'application/json' : headerText(oddText(random)),
        'idempotency-key': key,
        ...(random.next() < 0.1 && { [`x-${random.integer(0, 9)}`]: headerText(oddText(random)) }),
        ...(random.next() < 0.02 && { authorization: headerText(oddText(random)) }),
      },
    };
  }

  #send({ method, path, headers, body }: Shot): Promise<Told> {
    const target = `${method} ${path.split(/[?]/)[0]?.replace(/^(\/v1\/\w+).*$/, '$1')}`;
    return new Promise((resolve) => {
      const sending = request(
        `${this.base}${path}`,
        { method, agent: this.#agent, headers: { ...headers, 'content-length': body.length }, timeout: TIMEOUT_MS },
        (answer) => {
          let text = '';
          answer.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk;
            if (text.length > ANSWER_MAX_BYTES) answer.destroy(new Error('an answer without an end'));
          });
          answer.on('end', () => resolve(judged(target, answer.statusCode ?? 0, text)));
          answer.on('error', (error) => resolve({ target, answer: 'broken', wrong: error.message }));
        },
      );
      sending.on('timeout', () => sending.destroy(new Error(`no answer within ${TIMEOUT_MS} ms`)));
      sending.on('error', (error) => resolve({ target, answer: 'broken', wrong: error.message }));
      sending.end(body);
    });
  }
}

/** Whoever meets a 5xx is told why, and a problem is a problem. */
function judged(target: string, status: number, text: string): Told {
  if (status < 400) return { target, answer: String(status), orderId: orderIdOf(status, text) };
  const reason = reasonOf(text);
  const answer = `${status} ${reason ?? ''}`;
  if (reason === undefined) return { target, answer, wrong: `${status} without a reason: ${text.slice(0, 200)}` };
  const isExplained = status < 500 || ((status === 503 || status === 504) && reason !== 'INTERNAL');
  return isExplained ? { target, answer } : { target, answer, wrong: text };
}

function orderIdOf(status: number, text: string): string | undefined {
  if (status !== 201 && status !== 202) return undefined;
  return (JSON.parse(text) as { order_id?: string }).order_id;
}

function reasonOf(text: string): string | undefined {
  try {
    const { reason } = JSON.parse(text) as { reason?: unknown };
    return typeof reason === 'string' ? reason : undefined;
  } catch {
    return undefined;
  }
}

/** As far as Node sends it in a header. */
function headerText(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '').slice(0, 1_000);
}

function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}
