import type { FastifyInstance, FastifyRequest } from 'fastify';
import { tracing, type Work } from '#libs/tracing/tracing.js';
import { pathOf } from './openapi.js';

/** Makes a span of each request, if the process makes any. Its path is that of the route: the real one may name somebody. */
export function traceRequests(app: FastifyInstance): void {
  if (tracing === undefined) return;
  const spans = new WeakMap<FastifyRequest, Work>();

  app.addHook('onRequest', (request, _reply, done) => {
    const { method, headers, protocol } = request;
    const { url } = request.routeOptions;
    const route = url && pathOf(url);
    const attributes = {
      'http.request.method': method,
      'url.scheme': protocol,
      ...(route !== undefined && { 'http.route': route, 'url.path': route }),
    };
    const { traceparent } = headers;
    const named = typeof traceparent === 'string' ? traceparent : undefined;
    const span = tracing?.arrived('SERVER', route === undefined ? method : `${method} ${route}`, attributes, named);
    if (span !== undefined) {
      spans.set(request, span);
      headers.traceparent = span.traceparent;
    }
    done();
  });
  // Reading a body loses whose it is; from here on it is known again.
  app.addHook('preHandler', (request, _reply, done) => {
    const span = spans.get(request);
    if (span === undefined) done();
    else span.within(done);
  });
  app.addHook('onResponse', (request, { statusCode }, done) => {
    const span = spans.get(request);
    span?.set('http.response.status_code', statusCode);
    if (statusCode >= 500) span?.fail(String(statusCode));
    span?.end();
    done();
  });
}
