import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type FastifyBaseLogger, type FastifyInstance, fastify, LogController } from 'fastify';
import type { Logger } from '#libs/runtime/logger.js';
import { refuseConnection } from './client-error.js';
import { readKey } from './idempotency-key.js';
import type { Identify } from './identity.js';
import { sendError, sendHttpProblem } from './problem.js';
import { guardAnswers } from './response-headers.js';

const bodyMaxBytes = 65_536;
/** A token of 4 kB, a key and what proxies add fit. Beyond: 431. */
const headersMaxBytes = 8_192;
/** Ids have at most 128 characters, each three when escaped. Longer segments are 414, shorter wrong ones are named. */
const paramMaxLength = 1_024;
/** Node looks for connections that are past their time only so often, by itself every 30 s. */
const timeoutsCheckedEveryMs = 1_000;
const charsetOf = /;\s*charset\s*=\s*"?([^";\s]*)/i;
const utf8 = /^utf-?8$/i;
/** Longer than the minute for which balancers keep idle connections, so that none is closed under a request. */
const keepAliveTimeoutMs = 75_000;

export interface HttpOptions {
  logger: Logger;
  identify: Identify;
  /** How long one request is worked on (10 s). */
  deadlineMs?: number;
  /** Addresses and networks of proxies that are believed when they say from where a request came; else nobody is. */
  trustProxy?: readonly string[];
  /** Origins whose pages may call; else none may. */
  corsOrigins?: readonly string[];
  /** Connections beyond this are closed as they come (20,000). */
  maxConnections?: number;
  /** How long a head may take to arrive (10 s), and all of a request (15 s). */
  headersTimeoutMs?: number;
  requestTimeoutMs?: number;
}

/** The HTTP server without its routes: limits, time-outs, strict input, and problem+json for all that goes wrong. */
export function createHttp({ logger, identify, ...options }: HttpOptions): FastifyInstance {
  const { headersTimeoutMs = 10_000, requestTimeoutMs = 15_000, trustProxy = [] } = options;
  const app: FastifyInstance = fastify({
    loggerInstance: logger as FastifyBaseLogger,
    trustProxy: trustProxy.length > 0 && [...trustProxy],
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestIdOf,
    bodyLimit: bodyMaxBytes,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    http: {
      maxHeaderSize: headersMaxBytes,
      headersTimeout: headersTimeoutMs,
      connectionsCheckingInterval: Math.min(timeoutsCheckedEveryMs, headersTimeoutMs),
    },
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
  app.setNotFoundHandler((request, reply) => sendHttpProblem('RESOURCE_NOT_FOUND', request, reply));
  app.decorate('identify', identify);
  app.decorate('operations', []);
  app.decorateRequest('principal', null);
  app.decorate('deadlineMs', options.deadlineMs ?? 10_000);
  app.decorateRequest('waitsUntil', 0);
  app.server.maxConnections = options.maxConnections ?? 20_000;
  guardAnswers(app, options.corsOrigins ?? []);
  takePlainJsonOnly(app);
  return app;
}

/** A body that is not even looked into. To the framework an error with a status is one of HTTP. */
class BodyRefused extends Error {
  constructor(
    readonly statusCode: 400 | 415,
    message = '',
  ) {
    super(message);
  }
}

/** The name of a request in problems and logs: the caller's own key, else one that is drawn. */
function requestIdOf(request: IncomingMessage): string {
  return readKey(request.headers['idempotency-key']) ?? randomUUID();
}

/** One content type in one charset, never compressed: nothing is inflated. An empty body is none, which the schema of the route judges. */
function takePlainJsonOnly(app: FastifyInstance): void {
  app.addHook('preParsing', (request, reply, payload, done) => {
    const { 'content-encoding': coding = 'identity', 'content-type': type = '' } = request.headers;
    if (request.method === 'GET' || request.method === 'HEAD') return done(null, payload);
    const [, charset = 'utf-8'] = charsetOf.exec(type) ?? [];
    if (coding === 'identity' && utf8.test(charset)) return done(null, payload);
    reply.header('accept-encoding', 'identity');
    return done(new BodyRefused(415));
  });
  // Members called __proto__ or constructor are judged by the schema, like all that is not known.
  const parse = app.getDefaultJsonParser('ignore', 'ignore');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined);
    void parse(request, body, (error, value) => {
      if (error) done(new BodyRefused(400, 'the body is not valid JSON'));
      // To the schemas it would be no body.
      else if (value === null) done(new BodyRefused(400, 'the body must be an object'));
      else done(null, value);
    });
  });
}
