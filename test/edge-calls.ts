import { request } from 'node:http';
import { type ChannelOptions, Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import type { TestLedger } from '#libs/ledger/test-ledger.js';
import { faultOfCall } from '#libs/rpc/status.js';
import { assert } from '#libs/testing/suite.js';

/** Whoever has no answer by then is kept waiting: far less than the edge gives to a request that comes slowly. */
const patienceMs = 5_000;

export type Header = readonly [name: string, value: string];

/** A request that is sent as it stands: its path is not tidied, and a header may come twice. */
export interface Ask {
  method?: string;
  path: string;
  headers?: readonly Header[];
  body?: string | Buffer;
}

/** What an edge said: the HTTP status or the name of the gRPC code, and the reason; `OK` where it did what it was asked. */
export interface EdgeSaid {
  code: number | string;
  reason: string;
  /** The problem, or what the error carries for programs. */
  facts: Readonly<Record<string, unknown>>;
}

/** Asks the HTTP edge. Rejects when nobody answers in time. */
export function askHttp(base: string, { method = 'GET', path, headers = [], body }: Ask): Promise<EdgeSaid> {
  const { host, hostname, port } = new URL(base);
  const length: Header[] = body === undefined ? [] : [['content-length', String(Buffer.byteLength(body))]];
  const all = [['host', host] as const, ...length, ...headers].flat();
  const signal = AbortSignal.timeout(patienceMs);
  return new Promise((resolve, reject) => {
    const options = { method, path, host: hostname, port, headers: all, agent: false, signal };
    const sent = request(options, async (response) => {
      try {
        let text = '';
        if (response.headers['content-type'] !== 'text/event-stream') for await (const chunk of response) text += chunk;
        else response.destroy();
        const facts = text === '' ? {} : (JSON.parse(text) as EdgeSaid['facts']);
        const { statusCode: code = 0 } = response;
        resolve({ code, reason: code < 300 ? 'OK' : String(facts.reason), facts });
      } catch (error) {
        reject(error);
      }
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** A call of bytes, by the name `package.Service/Method`. */
export interface GrpcAsk {
  method: string;
  headers?: readonly Header[];
  bytes?: Uint8Array;
  options?: ChannelOptions;
}

/** Calls a gateway. Never rejects: whoever is kept waiting is told TOO_LATE. */
export async function callGrpc(address: string, ask: GrpcAsk): Promise<EdgeSaid> {
  const error = await errorOfGrpc(address, ask);
  if (error === null) return { code: 'OK', reason: 'OK', facts: {} };
  const { reason, metadata: facts } = faultOfCall(error);
  return { code: status[error.code] ?? error.code, reason, facts };
}

/** The error of a call as it came over the wire; null: there was none. */
export async function errorOfGrpc(address: string, ask: GrpcAsk): Promise<ServiceError | null> {
  const client = new Client(address, credentials.createInsecure(), ask.options);
  const metadata = new Metadata();
  for (const [name, value] of ask.headers ?? []) metadata.add(name, value);
  const asIs = (given: Buffer): Buffer => given;
  const bytes = Buffer.from(ask.bytes ?? []);
  const error = await new Promise<ServiceError | null>((resolve) => {
    const options = { deadline: Date.now() + patienceMs };
    client.makeUnaryRequest(`/${ask.method}`, asIs, asIs, bytes, metadata, options, resolve);
  });
  client.close();
  return error;
}

export function assertSaid(said: EdgeSaid, [code, reason]: readonly [number | string, string], what: string): void {
  assert.equal([said.code, said.reason], [code, reason], `${what}: ${JSON.stringify(said)}`);
}

/** Where every unit is, and every order that may have some. */
export async function unitsOf(sql: TestLedger['sql']): Promise<unknown> {
  const stock = await sql('SELECT sku_id, capacity, free, held, sold, version FROM ledger.stock ORDER BY 1');
  const orders = await sql("SELECT order_id, state FROM ledger.orders WHERE state <> 'REFUSED' ORDER BY 1");
  const movements = await sql('SELECT count(*)::int FROM ledger.movements');
  return { stock, orders, movements };
}
