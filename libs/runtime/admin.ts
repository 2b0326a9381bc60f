import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Lifecycle } from './lifecycle.js';
import type { Metrics } from './metrics.js';
import { withinDeadline } from './within-deadline.js';

/** A dependency the process needs to be of use. False, a rejection, or no answer in time: not ready. */
export type Check = () => Promise<boolean> | boolean;

const CHECK_TIMEOUT_MS = 1_000;

export interface AdminOptions {
  /** `host:port`; port 0 takes a free one. */
  readonly address: string;
  readonly life: Lifecycle;
  readonly metrics: Metrics;
  readonly checks: Readonly<Record<string, Check>>;
  /** What `/stats` answers as JSON, for people and for drivers of test load. */
  readonly stats?: () => unknown;
}

/**
 * The port for operators and probes: `/livez` (this process turns, nothing else is asked), `/readyz` (200 or 503 with
 * each check by name; off as soon as closing begins), `/metrics` (Prometheus), `/stats`. Open it first and it answers
 * while the rest starts; it is closed last.
 */
export async function startAdmin(options: AdminOptions): Promise<{ readonly address: string }> {
  const { life } = options;
  const server = createServer((request, response) => {
    answer(options, request.url ?? '/', response).catch((error: unknown) => {
      life.logger.error({ err: error, url: request.url }, 'admin request failed');
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  const [host, port] = splitAddress(options.address);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  life.closer('admin', () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    return closed;
  });
  const bound = server.address() as AddressInfo;
  return { address: `${host}:${bound.port}` };
}

async function answer(options: AdminOptions, url: string, response: ServerResponse): Promise<void> {
  switch (url.split('?')[0]) {
    case '/livez':
      return sendJson(response, 200, { status: 'ok' });
    case '/readyz': {
      const checks = await runChecks(options.checks);
      const ready = options.life.isReady && Object.values(checks).every((passed) => passed);
      return sendJson(response, ready ? 200 : 503, {
        status: ready ? 'ok' : 'unavailable',
        checks: { started: options.life.isReady, ...checks },
      });
    }
    case '/metrics': {
      const text = await options.metrics.text();
      response.writeHead(200, { 'content-type': options.metrics.contentType }).end(text);
      return;
    }
    case '/stats':
      return sendJson(response, 200, (await options.stats?.()) ?? {});
    default:
      return sendJson(response, 404, { status: 'not found' });
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`);
}

async function runChecks(checks: AdminOptions['checks']): Promise<Record<string, boolean>> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, await passes(check)] as const),
  );
  return Object.fromEntries(results);
}

async function passes(check: Check): Promise<boolean> {
  const asked = Promise.resolve().then(check);
  return await withinDeadline(asked, CHECK_TIMEOUT_MS, () => new Error('no answer in time')).catch(() => false);
}

function splitAddress(address: string): [host: string, port: number] {
  const colon = address.lastIndexOf(':');
  return [address.slice(0, colon).replace(/^\[|\]$/g, ''), Number(address.slice(colon + 1))];
}
