import { connect } from 'node:net';
import { RefusalReason } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { Fault, type FaultReason } from '#libs/refusal/fault.js';
import { bearerOf, tokenOf } from '#libs/testing/test-issuer.js';
import { signWebhook } from '#libs/webhook/signature.js';
import { type EdgeUnderTest, noticeSecret } from './edge-under-test.js';
import { waiting } from './fake-answers.js';
import { orderOf } from './fake-gateway.js';

/** An operation as the document has it. */
export interface Documented {
  path: string;
  method: string;
  operationId: string;
  tags: string[];
  security: unknown[];
  parameters: Parameter[];
  requestBody?: { content: { 'application/json': { schema: { $ref?: string } } } };
  responses: Record<string, DocumentedAnswer>;
}

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  schema: { examples?: string[] };
}

export interface DocumentedAnswer {
  headers?: Record<string, { $ref: string }>;
  content?: Record<string, { schema: { allOf?: { properties?: { reason?: { enum: string[] } } }[] } }>;
}

/** What was asked, and what came. */
export interface Given {
  status: number;
  headers: Headers;
  text: string;
}

export interface Asking {
  url: string;
  init: RequestInit & { headers: Record<string, string> };
}

const answerMaxMs = 10_000;
const long = 'x'.repeat(17_000);

/** Gets the edge to answer an operation with a status, and, of a problem, with a reason. `sample` makes bodies that fit schemas. */
export async function provoke(
  edge: EdgeUnderTest,
  operation: Documented,
  { status, reason, sample }: { status: number; reason: string | undefined; sample: (schema: object) => unknown },
): Promise<Given> {
  edge.reset();
  edge.asked.orders.now = orderOf({});
  edge.asked.entries.now = waiting;
  const asking = goodAsking(edge, operation, sample);
  const { headers } = asking.init;
  if (status === 204 && operation.tags.includes('streams')) return endOfStream(edge, asking);
  if (status === 202) edge.asked.answer = () => ({ $case: 'pending', value: { orderId: 'o-1' } });
  if (status === 304) headers['if-none-match'] = (await send(asking)).headers.get('etag') ?? '';
  if (status < 400) return send(asking);
  const own = ownProblems[`${status} ${reason}`];
  if (own !== undefined) return own(asking, operation);
  if (reason !== undefined && `REFUSAL_REASON_${reason}` in RefusalReason) refuse(edge, reason);
  else fail(edge, reason as FaultReason);
  return send(asking);
}

/** A request that the operation takes, of the document's own examples. */
function goodAsking(
  edge: Pick<EdgeUnderTest, 'base'>,
  operation: Documented,
  sample: (schema: object) => unknown,
): Asking {
  const headers: Record<string, string> = {};
  let { path } = operation;
  for (const parameter of operation.parameters) {
    const [example = ''] = parameter.schema.examples ?? [];
    if (parameter.in === 'path') path = path.replace(`{${parameter.name}}`, example);
    if (parameter.in === 'header' && parameter.required) headers[parameter.name] = example;
  }
  if (operation.security.length > 0) headers.authorization = bearerOf('ana');
  const schema = operation.requestBody?.content['application/json'].schema;
  const body = schema && JSON.stringify(sample(schema));
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (operation.operationId === 'takePaymentNotice') sign(headers, body ?? '', new Date());
  const init = { method: operation.method.toUpperCase(), headers, ...(body !== undefined && { body }) };
  return { url: edge.base + path, init };
}

function sign(headers: Record<string, string>, body: string, at: Date): void {
  Object.assign(headers, signWebhook(noticeSecret, { id: 'msg_1', at, body }));
}

async function send({ url, init }: Asking): Promise<Given> {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(answerMaxMs) });
  const isStream = response.headers.get('content-type') === 'text/event-stream';
  const text = isStream ? await firstChunk(response) : await response.text();
  return { status: response.status, headers: response.headers, text };
}

/** Up to the first event. */
async function firstChunk({ body }: Response): Promise<string> {
  let text = '';
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (/\nid: .*\n/.test(text)) break;
  }
  return text;
}

async function endOfStream(edge: EdgeUnderTest, asking: Asking): Promise<Given> {
  // Streams of what others listen to are shared with them.
  asking.url = asking.url.replace('sku-1', 'sku-9');
  asking.init.headers.authorization = bearerOf('ben');
  edge.asked.orders.now = orderOf({ state: 5, version: 9 });
  edge.asked.entries.now = { ...waiting, state: 7, version: 9 };
  edge.asked.places.now = { state: 3, peopleAhead: 0, retryAfterMs: 0 };
  const { availabilityOf } = edge.asked;
  edge.asked.availabilityOf = (skuId) => {
    const availability = availabilityOf(skuId);
    return availability && { ...availability, cancelledAt: new Date('2030-01-01T00:00:00Z') };
  };
  const [, id = ''] = /\nid: (.*)\n/.exec((await send(asking)).text) ?? [];
  asking.init.headers['last-event-id'] = id;
  return send(asking);
}

type Provocation = (asking: Asking, operation: Documented) => Promise<Given>;

/** Problems that the edge finds by itself. */
const ownProblems: Readonly<Record<string, Provocation>> = {
  '400 INVALID_REQUEST': ({ url, init }) => send({ url: `${url}?nothing=1`, init }),
  '401 TOKEN_MISSING': ({ url, init }) =>
    send({ url, init: { ...init, headers: without(init.headers, 'authorization') } }),
  '401 TOKEN_INVALID': ({ url, init }) => send(withHeader(url, init, 'authorization', 'Bearer x.y.z')),
  '401 TOKEN_EXPIRED': ({ url, init }) =>
    send(withHeader(url, init, 'authorization', `Bearer ${tokenOf('ana', { seconds: -60 })}`)),
  '401 NOTICE_NOT_BELIEVED': ({ url, init }) => send(withHeader(url, init, 'webhook-signature', 'v1,AAAA')),
  '403 PERMISSION_DENIED': ({ url, init }) => send(withHeader(url, init, 'holdfast-for-user', 'ben')),
  '404 RESOURCE_NOT_FOUND': ({ url, init }) => send({ url: `${url.slice(0, url.lastIndexOf('/'))}/nobody`, init }),
  '408 INVALID_REQUEST': ({ url, init }) => dripped(url, init),
  '413 BODY_TOO_LARGE': ({ url, init }) =>
    send({
      url,
      init: { ...withHeader(url, init, 'content-type', 'application/json').init, body: 'x'.repeat(70_000) },
    }),
  '414 PATH_TOO_LONG': ({ url, init }, { path, parameters }) => {
    const [first] = parameters.filter((parameter) => parameter.in === 'path');
    const example = first?.schema.examples?.[0] ?? '';
    const { origin, pathname } = new URL(url);
    const before = path.slice(0, path.indexOf('{'));
    return send({ url: origin + pathname.replace(before + example, before + 'x'.repeat(2_000)), init });
  },
  '415 CONTENT_TYPE_UNSUPPORTED': ({ url, init }) =>
    send({ url, init: { ...withHeader(url, init, 'content-type', 'text/plain').init, body: 'x' } }),
  '431 INVALID_REQUEST': ({ url, init }) => send(withHeader(url, init, 'x-long', long)),
};

function withHeader(url: string, init: Asking['init'], name: string, value: string): Asking {
  return { url, init: { ...init, headers: { ...init.headers, [name]: value } } };
}

function without(headers: Record<string, string>, name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));
}

function refuse(edge: EdgeUnderTest, name: string): void {
  const reason = RefusalReason[`REFUSAL_REASON_${name}` as keyof typeof RefusalReason];
  const refusal = {
    ...{ reason, skuId: 'sku-1', free: 1, nextReleaseAt: undefined, opensAt: undefined, closedAt: undefined },
    ...{ slotPast: false, limit: 2, ownOrderId: '', scope: 0 },
  };
  edge.asked.answer = () => ({ $case: 'refused', value: { refusal, ownOrder: undefined } });
  edge.asked.moved = { $case: 'refusal', value: refusal };
}

function fail(edge: EdgeUnderTest, reason: FaultReason): void {
  const limit = { limit: 'USER', rate: '5', burst: '10', remaining: '0', reset_ms: '1500' };
  const fault = new Fault(reason, `provoked ${reason}`, reason === 'RATE_LIMITED' ? { metadata: limit } : {});
  edge.asked.fault = fault;
  edge.asked.answer = () => fault;
  edge.asked.orders.now = fault;
  edge.asked.entries.now = fault;
}

/** Sends a request byte by byte, without end; what comes is read off the connection. */
function dripped(url: string, { method = 'GET', headers }: Asking['init']): Promise<Given> {
  const { hostname, port, pathname } = new URL(url);
  const lines = Object.entries({ host: 'edge', ...headers }).map(([name, value]) => `${name}: ${value}`);
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(Number(port), hostname, () => {
      socket.write([`${method} ${pathname} HTTP/1.1`, ...lines, 'x-slow: '].join('\r\n'));
    });
    const dripping = setInterval(() => socket.write('a'), 50);
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', () => undefined);
    socket.once('close', () => {
      clearInterval(dripping);
      resolve(parsed(text));
    });
  });
}

function parsed(message: string): Given {
  const [head = '', text = ''] = message.split('\r\n\r\n');
  const [line = '', ...fields] = head.split('\r\n');
  const pairs = fields.map((field): [string, string] => {
    const colon = field.indexOf(':');
    return [field.slice(0, colon), field.slice(colon + 1).trim()];
  });
  return { status: Number(line.split(' ')[1]), headers: new Headers(pairs), text };
}
