import { createTokenVerifier } from '#libs/identity/token-verifier.js';
import { openTls, targetOf } from '#libs/rpc/tls.js';
import { startAdmin } from '#libs/runtime/admin.js';
import type { Lifecycle } from '#libs/runtime/lifecycle.js';
import { createMetrics } from '#libs/runtime/metrics.js';
import { closerOf } from './adapters/close-http.js';
import { documentRoutes } from './adapters/document-routes.js';
import { connectGateway } from './adapters/gateway.js';
import { createHttp } from './adapters/http.js';
import { type Identify, identifyBy } from './adapters/identity.js';
import { orderChangeRoutes } from './adapters/order-changes.js';
import { orderRoutes } from './adapters/orders.js';
import { paymentRoutes } from './adapters/payments.js';
import { placeRoutes } from './adapters/places.js';
import { problemRoutes } from './adapters/problem-routes.js';
import { requestIdRoutes } from './adapters/request-ids.js';
import { countRequests } from './adapters/request-metrics.js';
import { traceRequests } from './adapters/request-spans.js';
import { serviceMetadata } from './adapters/service-token.js';
import { skuRoutes } from './adapters/skus.js';
import { streamRoutes } from './adapters/stream-routes.js';
import { waitlistRoutes } from './adapters/waitlist.js';
import type { BffConfig } from './config.js';

/** Connections that wait for the process to take them, when a crowd arrives in one instant. */
const listenBacklog = 4_096;

/** Starts the HTTP edge; it serves when this resolves. `httpAddress` is a base URL. Everything it opened is closed by `life`. */
export async function startBff(
  config: BffConfig,
  life: Lifecycle,
): Promise<{ httpAddress: string; adminAddress: string }> {
  const { logger } = life;
  const metrics = createMetrics();

  const gateway = connectGateway({
    ...config,
    target: targetOf(openTls(config.tlsDir, life), 'gateway', config.gatewayTarget),
    ownMetadata: serviceMetadata(config.serviceTokenPath),
    logger,
    metrics,
  });
  life.closer('gateway', () => gateway.close());
  const checks = { gateway: () => gateway.isReachable() };
  const admin = await startAdmin({ address: config.adminAddress, life, metrics, checks });

  const app = createHttp({ ...config, logger, identify: identifyIn(config, life) });
  countRequests(app, metrics);
  traceRequests(app);
  orderRoutes(app, gateway);
  orderChangeRoutes(app, gateway);
  paymentRoutes(app, gateway, config.paymentNoticeSecrets);
  waitlistRoutes(app, gateway);
  requestIdRoutes(app, gateway);
  skuRoutes(app, gateway);
  placeRoutes(app, gateway);
  streamRoutes(app, gateway, { ...config, metrics });
  const close = closerOf(app);
  problemRoutes(app);
  documentRoutes(app);
  const { hostname: host, port } = new URL(`http://${config.httpAddress}`);
  const httpAddress = await app.listen({ host, port: Number(port), backlog: listenBacklog });
  life.closer('http', close);
  return { httpAddress, adminAddress: admin.address };
}

/** How it finds out who calls. */
function identifyIn({ identity }: BffConfig, { logger }: Lifecycle): Identify {
  const onTrouble = (error: unknown): void => logger.error({ err: error }, 'the keys of the issuer cannot be read');
  return identifyBy(createTokenVerifier({ ...identity, onTrouble }));
}
