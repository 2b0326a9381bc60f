// The least the HTTP edge could do with an order: the mesh's own server, route and checks, and the same refusal for all.
// A process of its own; tells its parent its URL once it serves.
import { createLogger } from '#libs/runtime/logger.js';
import { createMetrics } from '#libs/runtime/metrics.js';
import { createHttp } from '../../services/bff/src/adapters/http.js';
import { identifyBy } from '../../services/bff/src/adapters/identity.js';
import { countRequests } from '../../services/bff/src/adapters/request-metrics.js';
import { resource } from '../../services/bff/src/adapters/resource.js';
import { noQuery, reserveBody } from '../../services/bff/src/adapters/schemas.js';
import { rivalVerifier } from './rival-identity.js';

/** As long as what the edge says of a sku that is sold out. */
const soldOut = Buffer.from(
  JSON.stringify({
    sku_id: 'sold-out-1',
    type: '/problems/sold-out',
    title: 'Sold out',
    status: 409,
    detail: 'All units of sold-out-1 are sold.',
    instance: '/v1/orders',
    reason: 'SOLD_OUT',
    request_id: 'kr1m-0-123456',
  }),
);

const app = createHttp({ logger: createLogger('constant-edge', 'warn'), identify: identifyBy(rivalVerifier) });
countRequests(app, createMetrics());
resource(app, '/v1/orders', {
  POST: {
    forUser: true,
    schema: { querystring: noQuery, body: reserveBody },
    handler: async (_request, reply) => reply.code(409).type('application/problem+json').send(soldOut),
  },
});
process.once('disconnect', () => process.exit());
process.send?.(await app.listen({ host: '127.0.0.1', port: 0 }));
