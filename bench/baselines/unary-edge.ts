// The mesh's own HTTP edge, but every order is a unary call to the gateway.
// A process of its own: `unary-edge.js <gateway's host:port>`; tells its parent its URL once it serves.
import { createLogger } from '#libs/runtime/logger.js';
import { createMetrics } from '#libs/runtime/metrics.js';
import type { Gateway } from '../../services/bff/src/adapters/gateway.js';
import { createHttp } from '../../services/bff/src/adapters/http.js';
import { identifyBy } from '../../services/bff/src/adapters/identity.js';
import { orderRoutes } from '../../services/bff/src/adapters/orders.js';
import { countRequests } from '../../services/bff/src/adapters/request-metrics.js';
import { reserveMethod } from '../drivers/reserve-method.js';
import { rivalVerifier } from './rival-identity.js';
import { unaryClient } from './unary-client.js';

const deadlineMs = 10_000;

const [target = ''] = process.argv.slice(2);
const reserve = unaryClient(target, reserveMethod, deadlineMs);
const app = createHttp({ logger: createLogger('unary-edge', 'warn'), identify: identifyBy(rivalVerifier) });
countRequests(app, createMetrics());
orderRoutes(app, {
  reserve: ({ metadata: { authorization = '' } }, request) => reserve(request, { authorization }),
} as Gateway);
process.once('disconnect', () => process.exit());
process.send?.(await app.listen({ host: '127.0.0.1', port: 0 }));
