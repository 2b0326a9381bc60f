import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Send, WebhookRequest } from '../app/deliver.js';
import type { Answer } from '../domain/outcome.js';
import { retryAfterMs } from '../domain/schedule.js';
import { hostOf, urlProblems } from './endpoint-rules.js';
import { isPublicAddress } from './public-address.js';

/** Of an answer so much is read, for the next request to use the connection; more ends the connection. */
const MAX_ANSWER_BYTES = 65_536;
const MAX_ERROR_LENGTH = 300;
const idleMs = 4_000;

/** All addresses of a name. */
export type Resolve = (host: string) => Promise<{ address: string; family: number }[]>;

export interface HttpSenderOptions {
  readonly allowPrivate: boolean;
  /** From the look-up to the head of the answer. */
  readonly timeoutMs: number;
  readonly resolve: Resolve;
}

/**
 * Sends webhooks by HTTP. A name is resolved once for each request, every address it stands for is checked, and the socket
 * is connected to one of those and no other. Redirects are answers that are not 2xx. Never rejects.
 */
export function httpSender(options: HttpSenderOptions): { send: Send; close(): void } {
  const agents = { 'https:': new https.Agent(agentOptions), 'http:': new http.Agent(agentOptions) };
  return {
    async send(request) {
      try {
        return await sendChecked(request, agents, options);
      } catch (error) {
        return { error: wordsOf(error, options.timeoutMs) };
      }
    },
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

const agentOptions = { keepAlive: true, timeout: idleMs, maxFreeSockets: 64 };

type Agents = Record<'https:' | 'http:', http.Agent>;

/** Why a request is not sent at all. */
class NotSent extends Error {}

async function sendChecked(request: WebhookRequest, agents: Agents, options: HttpSenderOptions): Promise<Answer> {
  const problems = urlProblems(request.url, options);
  if (problems.length > 0) throw new NotSent(`the URL ${problems.join(', ')}`);
  const url = new URL(request.url);
  const signal = AbortSignal.timeout(options.timeoutMs);
  const addresses = await untilAborted(addressesOf(hostOf(url), options), signal);
  const isSecure = url.protocol === 'https:';
  const parts: RequestOptions = {
    method: 'POST',
    protocol: url.protocol,
    hostname: hostOf(url),
    port: url.port,
    path: `${url.pathname}${url.search}`,
    headers: { ...request.headers, 'content-length': Buffer.byteLength(request.body) },
    agent: agents[isSecure ? 'https:' : 'http:'],
    lookup: pinnedTo(addresses),
    signal,
  };
  const open = (): ClientRequest => (isSecure ? https : http).request(parts);
  return answerOf(await exchange(open, request.body));
}

async function addressesOf(host: string, { resolve, allowPrivate }: HttpSenderOptions) {
  const family = isIP(host);
  const addresses = family === 0 ? await resolve(host) : [{ address: host, family }];
  if (addresses.length === 0) throw new NotSent('the host has no address');
  const isSafe = allowPrivate || addresses.every(({ address }) => isPublicAddress(address));
  if (!isSafe) throw new NotSent('the host has an address that is not public');
  return addresses;
}

/** A look-up that knows one answer: whatever the name stands for by now, the socket goes where it was checked. */
function pinnedTo(addresses: readonly { address: string; family: number }[]): LookupFunction {
  return (_host, { all }, done) => {
    const [first = { address: '', family: 0 }] = addresses;
    if (all === true) done(null, [...addresses]);
    else done(null, first.address, first.family);
  };
}

/** An idle connection that the endpoint closed in the same moment is no failure of the endpoint: once more on a new one. */
async function exchange(open: () => ClientRequest, body: string): Promise<IncomingMessage> {
  const first = open();
  try {
    return await headOf(first, body);
  } catch (error) {
    if (!first.reusedSocket || (error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
    return headOf(open(), body);
  }
}

function headOf(request: ClientRequest, body: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.on('response', resolve);
    request.on('error', reject);
    request.end(body);
  });
}

function answerOf(response: IncomingMessage): Answer {
  drain(response);
  const { statusCode: status = 0, headers } = response;
  if (status >= 200 && status < 300) return { status, error: '' };
  const again = retryAfterMs(headers['retry-after'], new Date());
  const redirected = status >= 300 && status < 400 ? ', and redirects are not followed' : '';
  return {
    status,
    error: `it answered ${status}${redirected}`,
    ...(again !== undefined && { retryAfterMs: again }),
  };
}

/** The head decides; the rest is read so far that the connection can be used again. */
function drain(response: IncomingMessage): void {
  let bytes = 0;
  response.on('error', () => undefined);
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) response.destroy();
  });
}

function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    promise.then(resolve, reject);
  });
}

function wordsOf(error: unknown, timeoutMs: number): string {
  if (error instanceof NotSent) return `not sent: ${error.message}`;
  const { name = '', code = '', message = '' } = error as NodeJS.ErrnoException;
  if (name === 'TimeoutError' || name === 'AbortError') return `no answer within ${timeoutMs} ms`;
  return `no answer: ${code || message}`.slice(0, MAX_ERROR_LENGTH);
}
