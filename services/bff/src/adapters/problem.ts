import { randomUUID } from 'node:crypto';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Refused } from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { Fault, faultCatalogue } from '#libs/refusal/fault.js';
import { errorsOfHeaders } from './check-headers.js';
import {
  errorsOfSchema,
  errorsOfViolations,
  InvalidRequest,
  ofWholeBody,
  type ProblemError,
} from './invalid-request.js';
import { orderJson, refusalJson } from './order-json.js';
import { rateLimitJson, setRateLimitFields } from './rate-limit.js';
import { textOfRefusal } from './refusal-text.js';
import { setRetryAfter } from './retry-after.js';

const typesMax = 1_000;

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
  const refusalFacts = refusalJson(refusal);
  const { reason } = refusalFacts;
  const facts = ownOrder ? { ...refusalFacts, own_order: orderJson(ownOrder) } : refusalFacts;
  const { title, detail } = textOfRefusal(refusal);
  return send({ status: 409, reason, title, detail, facts }, request, reply);
}

/** Nothing was decided: 429 with the limit that stood in the way and its figures. */
function sendRateLimited(fault: Fault, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const facts = rateLimitJson(fault.metadata);
  setRateLimitFields(reply, facts);
  const { reason, message: detail, retryAfterMs } = fault;
  const { httpStatus: status, title } = faultCatalogue[reason];
  return send({ status, reason, title, detail, facts, retryAfterMs }, request, reply);
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
  const { status, retryAfterMs } = problem;
  if (retryAfterMs !== undefined) setRetryAfter(reply, retryAfterMs);
  // Fastify ends the connection over a body it does not read, which resets it, and the answer is lost with it. Node reads
  // the rest and throws it away, within the time that a request has.
  if (reply.hasHeader('connection')) reply.removeHeader('connection');
  if (status === 401) reply.header('www-authenticate', challengeOf(problem.reason));
  // As text it leaves in one write with the headers. Fastify would name a charset, which this type does not have.
  return reply.code(status).type('application/problem+json').serializer(asIs).send(textOf(problem, request));
}

/** How to say who one is (RFC 6750). Who shows no token at all is told of no error of it. */
function challengeOf(reason: string): string {
  if (reason === 'NOTICE_NOT_BELIEVED') return 'Webhook-Signature';
  if (reason === 'TOKEN_MISSING') return 'Bearer';
  const description = reason === 'TOKEN_EXPIRED' ? 'the token has expired' : 'the token is not believed';
  return `Bearer error="invalid_token", error_description="${description}"`;
}

const asIs = (text: string): string => text;

/** Members that every problem has; no fact may stand in for one. */
const members: ReadonlySet<string> = new Set([
  ...['type', 'title', 'status', 'detail', 'instance', 'reason', 'request_id', 'errors'],
]);

/** Member by member: to merge the facts into one object first takes longer than all the rest of a refusal. */
function textOf({ status, reason, title, detail, errors, facts = {} }: Problem, { url, id }: FastifyRequest): string {
  let text = '{';
  for (const name in facts) {
    const fact = facts[name];
    if (fact !== undefined && !members.has(name)) text += `${JSON.stringify(name)}:${JSON.stringify(fact)},`;
  }
  text += `"type":${JSON.stringify(typeOf(reason))},"title":${JSON.stringify(title)},"status":${status}`;
  text += `,"detail":${JSON.stringify(detail)},"instance":${JSON.stringify(pathOf(url))}`;
  text += `,"reason":${JSON.stringify(reason)},"request_id":${JSON.stringify(id)}`;
  return errors === undefined ? `${text}}` : `${text},"errors":${JSON.stringify(errors)}}`;
}

const types = new Map<string, string>();

/** Reasons are few; a newer gateway may know some more. */
function typeOf(reason: string): string {
  let type = types.get(reason);
  if (type === undefined) {
    type = `urn:holdfast:problem:${reason.toLowerCase().replaceAll('_', '-')}`;
    if (types.size < typesMax) types.set(reason, type);
  }
  return type;
}

function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}

function problemOf(thrown: unknown, request: FastifyRequest): Problem {
  if (thrown instanceof Fault) return problemOfFault(thrown, request);
  if (thrown instanceof InvalidRequest) return invalid(thrown.errors);
  const { validation, validationContext = 'body', statusCode = 500, message = '' } = thrown as Partial<FastifyError>;
  if (validation) return invalid([...errorsOfHeaders(request), ...errorsOfSchema(validation, validationContext)]);
  if (statusCode === 400) return invalid([...errorsOfHeaders(request), ofWholeBody(message)]);
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
  // The empty pointer is no place to begin a sentence with.
  const place = first?.pointer || first?.header || first?.parameter;
  const what = place === undefined ? first?.detail : `${place} ${first?.detail}`;
  const more = errors.length > 1 ? `, and ${errors.length - 1} more` : '';
  return { status, reason: 'INVALID_REQUEST', title, detail: `${what}${more}`, errors };
}

function problemOfStatus(status: number, detail: string): Problem {
  const { reason, title } = httpProblems[status] ?? { reason: 'INVALID_REQUEST', title: 'The request is not valid' };
  return { status, reason, title, detail };
}
