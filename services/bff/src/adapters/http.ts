import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type FastifyBaseLogger, type FastifyInstance, fastify, LogController } from 'fastify';
import type { Logger } from '#libs/runtime/logger.js';
import { refuseConnection } from './client-error.js';
import { readKey } from './idempotency-key.js';
import type { Identify } from './identity.js';
import { sendError, sendHttpProblem } from './problem.js';

const bodyMaxBytes = 65_536;
/** Ids have at most 128 characters, each three when escaped. Longer segments are 414, shorter wrong ones are named. */
const paramMaxLength = 1_024;
const headersTimeoutMs = 10_000;
const requestTimeoutMs = 15_000;
/** Node looks for connections that are past their time only so often, by itself every 30 s. */
const timeoutsCheckedEveryMs = 1_000;
/** Longer than the minute for which balancers keep idle connections, so that none is closed under a request. */
const keepAliveTimeoutMs = 75_000;

/** The HTTP server without its routes: limits, time-outs, strict input, and problem+json for all that goes wrong. */
export function createHttp(logger: Logger, identify: Identify): FastifyInstance {
  const app: FastifyInstance = fastify({
    loggerInstance: logger as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestIdOf,
    bodyLimit: bodyMaxBytes,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    http: { headersTimeout: headersTimeoutMs, connectionsCheckingInterval: timeoutsCheckedEveryMs },
    // While closing, what still arrives on an open connection is served, and the connection ends after it.
    return503OnClosing: false,
    routerOptions: { maxParamLength: paramMaxLength },
    ajv: {
      customOptions: {
        allErrors: true,
        verbose: true,
        coerceTypes: false,
        removeAdditional: false,
        useDefaults: false,
      },
    },
    clientErrorHandler: refuseConnection,
    frameworkErrors: (error, request, reply) => sendError(error, request, reply),
  });
  // One logger for all requests: one each is work, and hardly any request logs.
  app.setChildLoggerFactory((parent) => parent);
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply));
  app.setNotFoundHandler((request, reply) => sendHttpProblem(404, 'No resource has this path.', request, reply));
  app.decorate('identify', identify);
  app.decorateRequest('principal', null);
  takeJsonOnly(app);
  return app;
}

/** The name of a request in problems and logs: the caller's own key, else one that is drawn. */
function requestIdOf(request: IncomingMessage): string {
  return readKey(request.headers['idempotency-key']) ?? randomUUID();
}

/** One content type. An empty body is none, which the schema of the route judges. */
function takeJsonOnly(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body.length === 0) done(null, undefined);
    else void parse(request, body, done);
  });
}
