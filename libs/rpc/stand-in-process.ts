import { setTimeout as pause } from 'node:timers/promises';
import { startServer } from './server.js';
import { answering, pending, silentLogger, standIn } from './stand-in.js';

// A server process of its own, for tests that kill or freeze it: listens on the address given, says so on stdout, drains on
// SIGTERM, and ends with the process that started it.
const [, , address = '127.0.0.1:0', drainMs = '100'] = process.argv;

const server = await startServer({
  address,
  drainMs: Number(drainMs),
  logger: silentLogger,
  services: [
    standIn({
      // Waits as many milliseconds as the store id says; the page token names this process.
      listSkus: async ({ storeId }) => {
        await pause(Number(storeId));
        return { skus: [], availability: [], nextPageToken: String(process.pid) };
      },
      // Answers each item after as many milliseconds as its order id says.
      placeHolds: (stream) =>
        answering(stream, (item, answer) => {
          setTimeout(() => answer(pending(item.itemId)), Number(item.orderId));
        }),
    }),
  ],
});
server.serving(true);
process.once('SIGTERM', () => void server.drain().then(() => process.exit(0)));
process.stdin.resume().once('end', () => process.exit(0));
console.log(server.address);
