import type { FastifyRequest } from 'fastify';
import type { Principal } from '#libs/identity/principal.js';
import type { TokenVerifier } from '#libs/identity/token-verifier.js';
import { Fault } from '#libs/refusal/fault.js';

/** Whom staff act for. */
export const forUserHeader = 'Holdfast-For-User';
const traceForm = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;
const noTrace = {};
const authorizationLength = 'authorization'.length;

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls; null where nobody need say so. */
    principal: Principal | null;
  }
}

/** Somebody who asks for something, and in whose name. */
export interface Caller {
  readonly role: Principal['role'];
  /** Whose affairs it is about: those of the caller, or of whom they act for. */
  readonly userId: string;
  /** All that decides what the caller may see: whoever has the same may be told the same. */
  readonly key: string;
  /** What goes to the gateway with each call of theirs: it judges for itself. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** Who the request is from, verified already. Fault TOKEN_MISSING on a route that asks for nobody. */
export function callerOf({ principal, headers }: FastifyRequest): Caller {
  if (principal === null) throw new Fault('TOKEN_MISSING', 'The request does not say who calls');
  const { role, userId } = principal;
  const { authorization = '' } = headers;
  const forUser = forUserIn(headers);
  const own = { authorization, ...traceOf(headers) };
  if (forUser === undefined) return { role, userId, key: `${role} ${userId}`, metadata: own };
  const metadata = { ...own, 'holdfast-for-user': forUser };
  return { role, userId: forUser, key: `${role} ${userId} ${forUser}`, metadata };
}

/** The trace that the request is part of (W3C Trace Context), as headers to pass on. */
function traceOf({ traceparent }: FastifyRequest['headers']): Readonly<Record<string, string>> {
  return typeof traceparent === 'string' && traceForm.test(traceparent) ? { traceparent } : noTrace;
}

/** Finds out who calls, by the token: at once for one that was seen before. Throws or rejects with Faults. */
export type Identify = (request: FastifyRequest) => Principal | Promise<Principal>;

export function identifyBy(verifier: TokenVerifier): Identify {
  return (request) => {
    refuseTwoTokens(request.raw.rawHeaders);
    const who = verifier.verify(request.headers.authorization);
    return who instanceof Promise ? who.then((known) => mayName(known, request)) : mayName(who, request);
  };
}

/** Of two tokens the parser gives the first; what stands before the edge may have judged by the second. */
function refuseTwoTokens(rawHeaders: readonly string[]): void {
  let tokens = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name?.length === authorizationLength && name.toLowerCase() === 'authorization') tokens += 1;
  }
  if (tokens > 1) throw new Fault('TOKEN_INVALID', 'Say who calls once', { metadata: { problem: 'FORM' } });
}

/** The gateway would say the same, but for reservations of users, which go to it under its front-end's own name. */
function mayName(principal: Principal, { headers }: FastifyRequest): Principal {
  const { role } = principal;
  if (forUserIn(headers) === undefined || role === 'STAFF' || role === 'SERVICE') return principal;
  throw new Fault('PERMISSION_DENIED', `As ${role} you may not act for another`, { metadata: { role } });
}

function forUserIn(headers: FastifyRequest['headers']): string | undefined {
  const forUser = headers['holdfast-for-user'];
  return typeof forUser === 'string' ? forUser : undefined;
}
