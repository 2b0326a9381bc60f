// All in one process: the mesh's own HTTP edge, and behind it one transaction for each order.
// A process of its own: `monolith.js <database URL>`; tells its parent its URL once it serves.
import { Pool } from 'pg';
import { orderId } from '#libs/contracts/order-id.js';
import { createLogger } from '#libs/runtime/logger.js';
import { createMetrics } from '#libs/runtime/metrics.js';
import type { Gateway } from '../../services/bff/src/adapters/gateway.js';
import { createHttp } from '../../services/bff/src/adapters/http.js';
import { identifyBy } from '../../services/bff/src/adapters/identity.js';
import { orderRoutes } from '../../services/bff/src/adapters/orders.js';
import { countRequests } from '../../services/bff/src/adapters/request-metrics.js';
import { heldOrder } from './held-order.js';
import { insertOrder } from './order-transaction.js';
import { rivalVerifier } from './rival-identity.js';

const poolSize = 20;

const [databaseUrl = ''] = process.argv.slice(2);
const pool = new Pool({ connectionString: databaseUrl, max: poolSize });
const app = createHttp({ logger: createLogger('monolith', 'warn'), identify: identifyBy(rivalVerifier) });
countRequests(app, createMetrics());
orderRoutes(app, { reserve } as unknown as Gateway);
process.once('disconnect', () => process.exit());
process.send?.(await app.listen({ host: '127.0.0.1', port: 0 }));

async function reserve(
  { userId }: Parameters<Gateway['reserve']>[0],
  { storeId, requestId, lines }: Parameters<Gateway['reserve']>[1],
): ReturnType<Gateway['reserve']> {
  const own = lines.map((line) => ({ ...line, attendeeId: line.attendeeId || userId }));
  const id = orderId(storeId, userId, requestId);
  const claim = { orderId: id, storeId, userId, requestId, lines: own, notAfter: undefined };
  await insertOrder(pool, claim);
  return { outcome: { $case: 'held', value: { order: heldOrder(claim) } } };
}
