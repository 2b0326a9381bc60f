import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A webhook as it came. */
export interface Received {
  id: string;
  headers: Record<string, string>;
  body: string;
}

/** An endpoint of a store, in this process. */
export interface Receiver {
  url: string;
  received: Received[];
  /** Most requests that were open at once. */
  mostAtOnce: number;
  /** How it answers: a status, or by itself. */
  answer: number | ((response: ServerResponse, request: Received) => void);
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  let open = 0;
  const server = createServer((request, response) => {
    open += 1;
    receiver.mostAtOnce = Math.max(receiver.mostAtOnce, open);
    response.once('close', () => {
      open -= 1;
    });
    void read(request).then((webhook) => {
      receiver.received.push(webhook);
      if (typeof receiver.answer === 'function') receiver.answer(response, webhook);
      else response.writeHead(receiver.answer).end();
    });
  });
  const receiver: Receiver = {
    url: '',
    received: [],
    mostAtOnce: 0,
    answer: 204,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
  return receiver;
}

async function read(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const headers = request.headers as Record<string, string>;
  return { id: headers['webhook-id'] ?? '', headers, body: Buffer.concat(chunks).toString() };
}
