import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import type { Principal } from '#libs/identity/principal.js';
import { errorsOfHeaders } from './check-headers.js';
import { tagAnswer } from './entity-tag.js';
import type { Identify } from './identity.js';
import { InvalidRequest } from './invalid-request.js';
import type { Operation, OperationDoc } from './operation.js';
import { patiently } from './prefer.js';
import { sendError, sendHttpProblem } from './problem.js';

/** One method of a resource. Its handler may take it for granted that the request fits the schema. */
export interface Verb {
  /** Whether it is done in the name of a user. */
  forUser: boolean;
  /** A POST that changes nothing: it needs no Idempotency-Key. */
  keyless?: boolean;
  /** What the published document says of it; without, it is not published. */
  doc?: OperationDoc;
  schema: FastifySchema;
  handler: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;
}

declare module 'fastify' {
  interface FastifyInstance {
    identify: Identify;
    /** What is served, for the published document. */
    operations: Operation[];
  }
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
type Method = (typeof methods)[number];

/** Registers what a path answers to; every other method is 405 and told what is allowed. */
export function resource(
  app: FastifyInstance,
  url: string,
  verbs: Partial<Record<'GET' | 'POST' | 'DELETE', Verb>>,
): void {
  const allowed = Object.keys(verbs) as Method[];
  for (const [name, { forUser, keyless = false, doc, schema, handler }] of Object.entries(verbs)) {
    const method = name as Operation['method'];
    if (doc !== undefined) app.operations.push({ method, url, forUser, keyless, doc, schema });
    app.route({
      method,
      url,
      schema,
      config: { keyless, isOwn: forUser },
      ...(method === 'GET' && { onSend: tagAnswer }),
      ...(forUser && { onRequest: identifyUser }),
      preHandler: refuseOddHeaders,
      // Under a rush most requests end in a fault: not every one shall take the way of an exception through the framework.
      handler: (request, reply) =>
        patiently(request, reply, () => handler(request, reply)).catch((thrown) => sendError(thrown, request, reply)),
    });
  }
  if (allowed.includes('GET')) allowed.push('HEAD');
  const allow = allowed.join(', ');
  app.route({
    method: methods.filter((method) => !allowed.includes(method)),
    url,
    onRequest: async (request, reply) => {
      reply.header('allow', allow);
      return sendHttpProblem('METHOD_NOT_ALLOWED', request, reply, { allow });
    },
    handler: async () => undefined,
  });
}

// Hooks with `done`: a promise for each of them, at each request, is work for nothing.
function identifyUser(request: FastifyRequest, _: FastifyReply, done: (error?: Error) => void): void {
  try {
    const who = request.server.identify(request);
    if (who instanceof Promise) {
      who.then((principal) => known(request, principal, done), done);
      return;
    }
    known(request, who, done);
  } catch (error) {
    done(error as Error);
  }
}

function known(request: FastifyRequest, principal: Principal, done: () => void): void {
  request.principal = principal;
  done();
}

function refuseOddHeaders(request: FastifyRequest, _: FastifyReply, done: (error?: Error) => void): void {
  const errors = errorsOfHeaders(request);
  if (errors.length === 0) done();
  else done(new InvalidRequest(errors));
}

/** The id in the path. */
export function idOf(request: FastifyRequest): string {
  return (request.params as { id: string }).id;
}
