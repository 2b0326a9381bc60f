import { randomUUID } from 'node:crypto';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Refused } from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { Fault, faultCatalogue } from '#libs/refusal/fault.js';
import { errorsOfHeaders } from './check-headers.js';
import { errorsOfSchema, errorsOfViolations, InvalidRequest, type ProblemError } from './invalid-request.js';
import { orderJson, refusalJson } from './order-json.js';
import { rateLimitJson, setRateLimitFields } from './rate-limit.js';
import { textOfRefusal } from './refusal-text.js';
import { setRetryAfter } from './retry-after.js';

/** Problem details (RFC 9457) and the facts of the reason beside them. */
interface Problem {
  status: number;
  reason: string;
  title: string;
  detail: string;
  errors?: readonly ProblemError[];
  facts?: Readonly<Record<string, unknown>>;
  retryAfterMs?: number | undefined;
}

/** What only HTTP can get wrong, by status. */
const httpProblems: Readonly<Record<number, { reason: string; title: string }>> = {
  404: { reason: 'RESOURCE_NOT_FOUND', title: 'There is nothing here' },
  405: { reason: 'METHOD_NOT_ALLOWED', title: 'The method does not fit the resource' },
  413: { reason: 'BODY_TOO_LARGE', title: 'The body is too large' },
  414: { reason: 'PATH_TOO_LONG', title: 'The path is too long' },
  415: { reason: 'CONTENT_TYPE_UNSUPPORTED', title: 'The content type is not supported' },
};

/** Sends the problem that `thrown` is. Nothing of a 5xx but its reason leaves; what is behind it goes to the log, once. */
export function sendError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (thrown instanceof Fault && thrown.reason === 'RATE_LIMITED') return sendRateLimited(thrown, request, reply);
  return send(problemOf(thrown, request), request, reply);
}

/** A true no: 409 with its reason and facts. */
export function sendRefusal(
  { refusal, ownOrder }: Refused,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  if (refusal === undefined) return sendError(new Error('a refusal without a reason'), request, reply);
  const { reason, ...facts } = refusalJson(refusal);
  return send(
    {
      status: 409,
      reason,
      ...textOfRefusal(refusal),
      facts: { ...facts, own_order: ownOrder && orderJson(ownOrder) },
    },
    request,
    reply,
  );
}

/** Nothing was decided: 429 with the limit that stood in the way and its figures. */
function sendRateLimited(fault: Fault, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const facts = rateLimitJson(fault.metadata);
  setRateLimitFields(reply, facts);
  return send({ ...problemOfFault(fault, request), facts }, request, reply);
}

/** A problem that only HTTP knows. */
export function sendHttpProblem(
  status: number,
  detail: string,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  return send(problemOfStatus(status, detail), request, reply);
}

function send(problem: Problem, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, reason, title, detail, errors, facts, retryAfterMs } = problem;
  if (retryAfterMs !== undefined) setRetryAfter(reply, retryAfterMs);
  // Fastify ends the connection over a body it does not read, which resets it, and the answer is lost with it. Node reads
  // the rest and throws it away, within the time that a request has.
  reply.removeHeader('connection');
  if (status === 401) reply.header('www-authenticate', 'Holdfast-User');
  const body = {
    ...facts,
    type: `urn:holdfast:problem:${reason.toLowerCase().replaceAll('_', '-')}`,
    title,
    status,
    detail,
    instance: request.url.split('?', 1)[0],
    reason,
    request_id: request.id,
    errors,
  };
  return reply
    .code(status)
    .type('application/problem+json')
    .send(Buffer.from(JSON.stringify(body)));
}

function problemOf(thrown: unknown, request: FastifyRequest): Problem {
  if (thrown instanceof Fault) return problemOfFault(thrown, request);
  if (thrown instanceof InvalidRequest) return invalid(thrown.errors);
  const { validation, validationContext = 'body', statusCode = 500, message = '' } = thrown as Partial<FastifyError>;
  if (validation) return invalid([...errorsOfHeaders(request), ...errorsOfSchema(validation, validationContext)]);
  if (statusCode === 400) return invalid([...errorsOfHeaders(request), { detail: message, pointer: '#' }]);
  if (statusCode > 400 && statusCode < 500) return problemOfStatus(statusCode, message);
  return internal(thrown, request);
}

const nothingRead = 'A part of the system that is needed for this did not answer. Ask again.';
const unknownOutcome = 'The outcome is not known. The same request again, with the same key, cannot count twice.';

function problemOfFault(fault: Fault, request: FastifyRequest): Problem {
  const { reason, retryAfterMs } = fault;
  if (reason === 'INTERNAL') return internal(fault, request);
  const { httpStatus: status, title } = faultCatalogue[reason];
  if (status >= 500) {
    const detail = request.method === 'GET' ? nothingRead : unknownOutcome;
    return { status, reason, title, detail, retryAfterMs };
  }
  const errors = errorsOfViolations(fault.violations, request.body !== undefined);
  const facts = fault.metadata;
  return { status, reason, title, detail: fault.message, facts, retryAfterMs, ...(errors.length > 0 && { errors }) };
}

/** Whoever met the fault first has logged it under the id it carries. */
function internal(thrown: unknown, request: FastifyRequest): Problem {
  const { httpStatus: status, title } = faultCatalogue.INTERNAL;
  let faultId = thrown instanceof Fault ? thrown.metadata.fault_id : undefined;
  if (faultId === undefined) {
    faultId = randomUUID();
    request.log.error({ err: thrown, faultId, requestId: request.id }, 'request failed inside');
  }
  const detail = 'It was recorded under the fault_id.';
  return { status, reason: 'INTERNAL', title, detail, facts: { fault_id: faultId } };
}

function invalid(errors: readonly ProblemError[]): Problem {
  const { httpStatus: status, title } = faultCatalogue.INVALID_REQUEST;
  const [first] = errors;
  const place = first?.pointer ?? first?.header ?? first?.parameter;
  const more = errors.length > 1 ? `, and ${errors.length - 1} more` : '';
  return { status, reason: 'INVALID_REQUEST', title, detail: `${place} ${first?.detail}${more}`, errors };
}

function problemOfStatus(status: number, detail: string): Problem {
  const { reason, title } = httpProblems[status] ?? { reason: 'INVALID_REQUEST', title: 'The request is not valid' };
  return { status, reason, title, detail };
}
