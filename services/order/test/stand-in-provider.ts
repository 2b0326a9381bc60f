import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A payment provider that does as a test says, and remembers what it was asked. */
export interface StandInProvider {
  url: string;
  /** Of the calls so far, in their order. */
  paths(): string[];
  /** The idempotency keys of the calls of one path. */
  keys(path: string): string[];
  /** Answers from now on, and whatever hangs. */
  answers(): void;
  fails(status: number): void;
  /** Leaves calls without an answer until `answers`. */
  hangs(): void;
  /** Forgets what it was asked, and answers. */
  reset(): void;
  close(): Promise<void>;
}

export async function startStandInProvider(): Promise<StandInProvider> {
  const asked: { path: string; key: string }[] = [];
  const hanging: (() => void)[] = [];
  let mode: 'answers' | 'hangs' | number = 'answers';
  let url = '';
  const answer = (response: ServerResponse, key: string): void => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ session_id: `cs-${key}`, url: `${url}/pay/cs-${key}`, parameters: { token: key } }));
  };
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const key = String(request.headers['idempotency-key']);
      asked.push({ path: request.url ?? '', key });
      if (typeof mode === 'number') response.writeHead(mode).end();
      else if (mode === 'hangs') hanging.push(() => answer(response, key));
      else answer(response, key);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const answers = (): void => {
    mode = 'answers';
    for (const go of hanging.splice(0)) go();
  };
  return {
    url,
    paths: () => asked.map(({ path }) => path),
    keys: (wanted) => asked.filter(({ path }) => path === wanted).map(({ key }) => key),
    answers,
    fails: (status) => {
      mode = status;
    },
    hangs: () => {
      mode = 'hangs';
    },
    reset() {
      asked.length = 0;
      answers();
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
