// Answers each item of a batched stream at once, as inventory's server does but without anything behind it.
// A process of its own: `batch-answers.js`; tells its parent its address once it serves.
import { startServer } from '#libs/rpc/server.js';
import { answering, silentLogger, standIn } from '#libs/rpc/stand-in.js';
import { heldOrder } from '../baselines/held-order.js';

const services = [
  standIn({
    placeHolds: (stream) =>
      answering(stream, (hold, answer) =>
        answer({
          itemId: hold.itemId,
          outcome: { $case: 'held', value: heldOrder({ ...hold, notAfter: undefined }) },
        }),
      ),
  }),
];
const server = await startServer({ address: '127.0.0.1:0', services, logger: silentLogger, drainMs: 1_000 });
process.once('disconnect', () => process.exit());
process.send?.(server.address);
