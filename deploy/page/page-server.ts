import { readFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname } from 'node:path';

export interface PageServer {
  /** `http://host:port`, the page's origin: the HTTP edge must know it in CORS_ORIGINS. */
  origin: string;
  close(): Promise<void>;
}

/** What is served, by its path, and nothing else. */
const FOLDER = new URL('../../../examples/page/', import.meta.url);
const FILES: ReadonlySet<string> = new Set(['index.html', 'page.css', 'page.js', 'words.js', 'booking.js', 'api.js']);
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};

/** Serves examples/page on that port of this machine; 0 takes a free one. A page may talk to `api`, the HTTP edge, alone. */
export async function startPageServer(port: number, api: string): Promise<PageServer> {
  const headers = {
    'cache-control': 'no-cache',
    'content-security-policy': `default-src 'self'; connect-src ${api}; img-src data:; base-uri 'none'; frame-ancestors 'none'`,
    'x-content-type-options': 'nosniff',
  };
  const server = createServer((request, response) => {
    response.setHeaders(new Headers(headers));
    void serve(request.method ?? '', new URL(request.url ?? '/', 'http://page').pathname, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { origin, close: () => closed(server) };
}

/** What to open: `sku` in `store`, for whoever has the token. What stands after the # stays in the browser. */
export function pageUrl(origin: string, about: { api: string; store: string; sku: string; token?: string }): string {
  return `${origin}/#${new URLSearchParams(about)}`;
}

async function serve(method: string, path: string, response: ServerResponse): Promise<void> {
  const name = path === '/' ? 'index.html' : path.slice(1);
  if (method !== 'GET' && method !== 'HEAD') response.writeHead(405, { allow: 'GET, HEAD' }).end();
  else if (!FILES.has(name)) response.writeHead(404).end();
  else {
    const bytes = await readFile(new URL(name, FOLDER));
    response.writeHead(200, { 'content-type': TYPES[extname(name)] ?? '' }).end(method === 'HEAD' ? undefined : bytes);
  }
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
