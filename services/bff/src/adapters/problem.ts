import { randomUUID } from 'node:crypto';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Refused } from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { type HttpReason, httpCatalogue } from '#libs/refusal/catalogue.js';
import { Fault, faultCatalogue } from '#libs/refusal/fault.js';
import { localeOf } from '#libs/refusal/locale.js';
import { type Facts, type Locale, localized, localizedViolation } from '#libs/refusal/localize.js';
import { typeOfReason } from '#libs/refusal/type-of-reason.js';
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
import { setRetryAfter } from './retry-after.js';
import { varyBy } from './vary.js';

const typesMax = 1_000;

/** Problem details (RFC 9457) and the facts of the reason beside them. */
interface Problem {
  status: number;
  reason: string;
  /** Members of the problem, and words of its sentence. */
  facts?: Facts | undefined;
  /** Words of its sentence only, instead of the facts. */
  words?: Facts | undefined;
  /** What the fault itself says. */
  message?: string | undefined;
  errors?: readonly ProblemError[];
  retryAfterMs?: number | undefined;
}

/** What only HTTP can get wrong, by status. */
const httpReasons: ReadonlyMap<number, HttpReason> = new Map(
  (Object.keys(httpCatalogue) as HttpReason[]).map((reason) => [httpCatalogue[reason].httpStatus, reason]),
);

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
  return send({ status: 409, reason, facts }, request, reply);
}

/** Nothing was decided: 429 with the limit that stood in the way and its figures. */
function sendRateLimited(fault: Fault, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const facts = rateLimitJson(fault.metadata);
  setRateLimitFields(reply, facts);
  const { reason, message, retryAfterMs } = fault;
  return send({ status: faultCatalogue[reason].httpStatus, reason, message, facts, retryAfterMs }, request, reply);
}

/** A problem that only HTTP knows. `words` are facts that its sentence names. */
export function sendHttpProblem(
  reason: HttpReason,
  request: FastifyRequest,
  reply: FastifyReply,
  words?: Facts,
): FastifyReply {
  return send({ status: httpCatalogue[reason].httpStatus, reason, words }, request, reply);
}

function send(problem: Problem, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, retryAfterMs } = problem;
  if (retryAfterMs !== undefined) setRetryAfter(reply, retryAfterMs);
  // Fastify ends the connection over a body it does not read, which resets it, and the answer is lost with it. Node reads
  // the rest and throws it away, within the time that a request has.
  if (reply.hasHeader('connection')) reply.removeHeader('connection');
  const locale = localeOf(request.headers['accept-language']);
  reply.header('content-language', locale);
  varyBy(reply, 'Accept-Language');
  if (status === 401) reply.header('www-authenticate', challengeOf(problem.reason));
  // As text it leaves in one write with the headers. Fastify would name a charset, which this type does not have.
  return reply
    .code(status)
    .type('application/problem+json')
    .serializer(asIs)
    .send(textOf(problem, locale, request));
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
function textOf(problem: Problem, locale: Locale, { url, id }: FastifyRequest): string {
  const { status, reason, facts = {}, message } = problem;
  const errors = problem.errors && localizedErrors(problem.errors, locale);
  const words = problem.words ?? (errors ? { ...facts, ...wordsOf(errors) } : facts);
  const { title, detail } = localized(reason, locale);
  let text = '{';
  for (const name in facts) {
    const fact = facts[name];
    if (fact !== undefined && !members.has(name)) text += `${JSON.stringify(name)}:${JSON.stringify(fact)},`;
  }
  text += `"type":${JSON.stringify(typeOf(reason))},"title":${JSON.stringify(title)},"status":${status}`;
  text += `,"detail":${JSON.stringify(detail(words, message))},"instance":${JSON.stringify(pathOf(url))}`;
  text += `,"reason":${JSON.stringify(reason)},"request_id":${JSON.stringify(id)}`;
  return errors === undefined ? `${text}}` : `${text},"errors":${JSON.stringify(errors)}}`;
}

const types = new Map<string, string>();

/** Reasons are few; a newer gateway may know some more. */
function typeOf(reason: string): string {
  let type = types.get(reason);
  if (type === undefined) {
    type = typeOfReason(reason);
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

const isRead: Facts = { is_read: true };
const isChange: Facts = {};

function problemOfFault(fault: Fault, request: FastifyRequest): Problem {
  const { reason, retryAfterMs, message } = fault;
  if (reason === 'INTERNAL') return internal(fault, request);
  const status = faultCatalogue[reason].httpStatus;
  if (status >= 500) return { status, reason, words: request.method === 'GET' ? isRead : isChange, retryAfterMs };
  const problem = { status, reason, message, facts: fault.metadata, retryAfterMs };
  const errors = errorsOfViolations(fault.violations, request.body !== undefined);
  return errors.length === 0 ? problem : { ...problem, errors };
}

/** Whoever met the fault first has logged it under the id it carries. */
function internal(thrown: unknown, request: FastifyRequest): Problem {
  let faultId = thrown instanceof Fault ? thrown.metadata.fault_id : undefined;
  if (faultId === undefined) {
    faultId = randomUUID();
    request.log.error({ err: thrown, faultId, requestId: request.id }, 'request failed inside');
  }
  return { status: faultCatalogue.INTERNAL.httpStatus, reason: 'INTERNAL', facts: { fault_id: faultId } };
}

function invalid(errors: readonly ProblemError[]): Problem {
  const { httpStatus: status } = faultCatalogue.INVALID_REQUEST;
  return { status, reason: 'INVALID_REQUEST', errors };
}

function localizedErrors(errors: readonly ProblemError[], locale: Locale): readonly ProblemError[] {
  if (locale === 'en') return errors;
  return errors.map((error) => ({ ...error, detail: localizedViolation(error.detail, locale) }));
}

/** The first of what is wrong, and how much more there is. */
function wordsOf(errors: readonly ProblemError[]): Facts {
  const [first] = errors;
  // The empty pointer is no place to begin a sentence with.
  const place = first?.pointer || first?.header || first?.parameter;
  const what = place === undefined ? first?.detail : `${place} ${first?.detail}`;
  return errors.length > 1 ? { first: what, more: errors.length - 1 } : { first: what };
}

function problemOfStatus(status: number, message: string): Problem {
  return { status, reason: httpReasons.get(status) ?? 'INVALID_REQUEST', message };
}
