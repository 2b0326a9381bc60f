import type { FastifyInstance } from 'fastify';
import type { Metrics } from '#libs/runtime/metrics.js';

/** Counts what was answered, by route and status, and how long it took. Labels are looked up once each, not for every request. */
export function countRequests(app: FastifyInstance, metrics: Metrics): void {
  const requests = metrics.counter('http_requests_total', 'Requests answered.', ['method', 'route', 'status']);
  const durations = metrics.histogram(
    'http_request_duration_seconds',
    'From the arrival of a request to the end of its answer.',
    ['method', 'route'],
  );
  const counted = new Map<string, { inc(): void }>();
  const timed = new Map<string, { observe(seconds: number): void }>();

  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none';
    const { method } = request;
    const status = String(reply.statusCode);
    found(counted, `${method} ${route} ${status}`, () => requests.labels({ method, route, status })).inc();
    found(timed, `${method} ${route}`, () => durations.labels({ method, route })).observe(reply.elapsedTime / 1_000);
    done();
  });
}

function found<Value>(known: Map<string, Value>, key: string, make: () => Value): Value {
  let value = known.get(key);
  if (value === undefined) {
    value = make();
    known.set(key, value);
  }
  return value;
}
