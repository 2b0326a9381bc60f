import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Lifecycle } from '#libs/runtime/lifecycle.js';
import { createLogger } from '#libs/runtime/logger.js';
import { disbelief } from '#libs/webhook/signature.js';
import { readConfig } from './config.js';
import { startSandbox } from './service.js';

export const KEY = 'sandbox-key';
const SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;

/** A notice as its receiver saw it. */
export interface SeenNotice {
  id: string;
  type: string;
  data: Record<string, string | number>;
}

/** A sandbox in this process, and who hears its notices. */
export interface SandboxUnderTest {
  url: string;
  /** Those that were signed right, in the order of their arrival, turned away ones included. */
  seen: SeenNotice[];
  /** Answers the next notices with 500. */
  turnAway(count: number): void;
  post(path: string, body: object, key?: string): Promise<{ status: number; body: Record<string, unknown> }>;
  close(): Promise<void>;
}

export async function startSandboxUnderTest(env: Record<string, string> = {}): Promise<SandboxUnderTest> {
  const seen: SeenNotice[] = [];
  let refusals = 0;
  const receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const webhook = { ...headersOf(request.headers), body };
      if (disbelief([SECRET], webhook, new Date()) !== undefined) return response.writeHead(401).end();
      seen.push({ id: webhook.id ?? '', ...(JSON.parse(body.toString()) as Omit<SeenNotice, 'id'>) });
      refusals -= 1;
      return response.writeHead(refusals >= 0 ? 500 : 204).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = receiver.address() as AddressInfo;
  const life = new Lifecycle(createLogger('sandbox', 'silent'));
  const anyAddress = '127.0.0.1:0';
  const config = readConfig({
    ...{ HTTP_ADDRESS: anyAddress, ADMIN_ADDRESS: anyAddress, PAYMENT_NOTICE_URL: `http://127.0.0.1:${port}/` },
    ...{ PAYMENT_PROVIDER_KEY: KEY, PAYMENT_NOTICE_SECRET: SECRET },
    ...env,
  });
  const { url } = await startSandbox(config, life);
  return {
    url,
    seen,
    turnAway: (count) => {
      refusals = count;
    },
    async post(path, body, key = KEY) {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
      const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    },
    async close() {
      await life.close();
      receiver.closeAllConnections();
      await new Promise((resolve) => receiver.close(resolve));
    },
  };
}

function headersOf(headers: IncomingHttpHeaders) {
  const one = (name: string): string | undefined => {
    const value = headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  return { id: one('webhook-id'), timestamp: one('webhook-timestamp'), signature: one('webhook-signature') };
}
