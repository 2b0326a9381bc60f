import cors, { type FastifyCorsOptions } from '@fastify/cors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/**
 * What every answer says to browsers: it is data, in which nothing runs, loads or is framed, and other pages get at it by CORS only.
 * Written once here: @fastify/helmet works the same out anew for each request.
 */
const guards = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

const preflightSeconds = 7_200;

const open: FastifyCorsOptions = {
  methods: ['GET', 'HEAD', 'POST', 'DELETE'],
  allowedHeaders: [
    ...['Authorization', 'Content-Type', 'Idempotency-Key', 'Holdfast-For-User', 'Prefer', 'If-None-Match'],
    ...['Last-Event-ID', 'Accept-Language', 'traceparent', 'tracestate'],
  ],
  exposedHeaders: [
    ...['Location', 'Retry-After', 'ETag', 'Date', 'RateLimit', 'RateLimit-Policy', 'Preference-Applied'],
    ...['WWW-Authenticate', 'Allow', 'Content-Language'],
  ],
  maxAge: preflightSeconds,
  credentials: false,
};

/** Sets on every answer what browsers are to keep to. Pages of other origins are let in only when they are named, exactly. */
export function guardAnswers(app: FastifyInstance, corsOrigins: readonly string[]): void {
  app.addHook('onRequest', (_request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    reply.headers(guards);
    done();
  });
  if (corsOrigins.length === 0) return;
  const listed = new Set(corsOrigins);
  void app.register(cors, {
    delegator: (request: FastifyRequest, tell: (error: null, options: FastifyCorsOptions) => void) => {
      const { origin, 'access-control-request-method': asks } = request.headers;
      const isIn = origin !== undefined && listed.has(origin) && (request.method !== 'OPTIONS' || asks !== undefined);
      // Without these the library's hook only says that the answer varies.
      tell(null, isIn ? { ...open, origin } : { origin: false });
    },
  });
}
