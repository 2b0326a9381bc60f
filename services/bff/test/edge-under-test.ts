import { Lifecycle } from '#libs/runtime/lifecycle.js';
import { createLogger } from '#libs/runtime/logger.js';
import { bearerOf, testIdentity } from '#libs/testing/test-issuer.js';
import { type BffConfig, readConfig } from '../src/config.js';
import { startBff } from '../src/service.js';
import { type Asked, startFakeGateway } from './fake-gateway.js';

/** An answer of the edge; `body` is empty when it is not JSON. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  body: Record<string, unknown>;
}

/** An edge before a fake gateway, and the ways to ask it. */
export interface EdgeUnderTest {
  base: string;
  asked: Asked;
  reset(): void;
  ask(path: string, init?: RequestInit): Promise<Answer>;
  /** As user ana unless the headers say otherwise. A text goes as it is. */
  post(body: unknown, headers?: Record<string, string>, path?: string): Promise<Answer>;
  get(path: string, user?: string): Promise<Answer>;
  /** One more process before the same gateway, with other settings. */
  startAnother(settings?: Partial<BffConfig>): Promise<{ base: string; life: Lifecycle }>;
  close(): Promise<void>;
}

/** Signs what the provider `sandbox` tells. */
export const noticeSecret = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;

export const good = { store_id: 'store-1', lines: [{ sku_id: 'sku-1', quantity: 2 }] };
export const goodHeaders = {
  'content-type': 'application/json',
  authorization: bearerOf('ana'),
  'idempotency-key': 'key-1',
};

export async function startEdgeUnderTest(own: Partial<BffConfig> = {}): Promise<EdgeUnderTest> {
  const gateway = await startFakeGateway();
  const startAnother = (settings: Partial<BffConfig> = {}) => start(gateway.address, { ...own, ...settings });
  const { base, life } = await startAnother();
  const ask = async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const response = await fetch(base + path, init);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : {} };
  };
  return {
    base,
    asked: gateway.asked,
    reset: gateway.reset,
    ask,
    post: (body, headers = goodHeaders, path = '/v1/orders') =>
      ask(path, { method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) }),
    get: (path, user = 'ana') => ask(path, { headers: { authorization: bearerOf(user) } }),
    startAnother,
    async close() {
      await life.close();
      await gateway.close();
    },
  };
}

async function start(gatewayTarget: string, settings: Partial<BffConfig>): Promise<{ base: string; life: Lifecycle }> {
  const life = new Lifecycle(createLogger('test', 'silent'));
  const address = '127.0.0.1:0';
  const config = readConfig({
    HTTP_ADDRESS: address,
    ADMIN_ADDRESS: address,
    GATEWAY_TARGET: gatewayTarget,
    DEADLINE_MS: '2000',
    MAX_IN_FLIGHT: '100',
    LOG_LEVEL: 'silent',
    PAYMENT_NOTICE_SECRETS: `sandbox=${noticeSecret}`,
    ...testIdentity(),
  });
  const { httpAddress } = await startBff({ ...config, ...settings }, life);
  return { base: httpAddress, life };
}

/** Where the errors of a problem point, in order of the alphabet. */
export function placesOf({ body }: Answer): unknown[] {
  const errors = (body.errors ?? []) as { pointer?: string; header?: string; parameter?: string }[];
  return errors.map(({ pointer, header, parameter }) => pointer ?? header ?? parameter).sort();
}
