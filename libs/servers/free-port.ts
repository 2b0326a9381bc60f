import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

// Below the ranges from which Linux (32768 up) and macOS (49152 up) take the near end of outgoing
// connections: a port picked here stays free while its server is down between kill and restart.
const lowest = 20_000;
const highest = 29_999;

/** A TCP port of 127.0.0.1 on which nothing listens at this moment, between 20000 and 29999. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const port = randomInt(lowest, highest + 1);
    if (await canListen(port)) return port;
  }
  throw new Error(`no free port between ${lowest} and ${highest}`);
}

/** Whether nothing listens on that port of 127.0.0.1 at this moment. */
export function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}
