import type { FastifyRequest } from 'fastify';
import { isIdentityId } from '#libs/identity/principal.js';
import { describeKey, keyHeader, readKey } from './idempotency-key.js';
import { forUserHeader, userHeader } from './identity.js';
import type { ProblemError } from './invalid-request.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A POST that changes nothing needs no key. */
    keyless?: boolean;
    /** Whether it is done in the name of a user. */
    isOwn?: boolean;
  }
}

/** What is wrong with the headers: every change has a key, and whoever is named has an id. */
export function errorsOfHeaders(request: FastifyRequest): readonly ProblemError[] {
  const { headers } = request;
  const key = headers['idempotency-key'];
  const user = headers['x-holdfast-user'];
  // A key that names the request was read already.
  const isKeyRight = key === request.id || !isChange(request) || readKey(key) !== undefined;
  const isUserRight = typeof user !== 'string' || user === '' || isIdentityId(user);
  const forUser = headers['holdfast-for-user'];
  const isForUserRight = forUser === undefined || isIdentityId(forUser);
  if (isKeyRight && isUserRight && isForUserRight) return none;
  return whatIsWrong({ isKeyRight, isUserRight, isForUserRight }, request);
}

const none: readonly ProblemError[] = [];

function isChange({ method, routeOptions }: FastifyRequest): boolean {
  return (method === 'POST' || method === 'DELETE') && routeOptions.config.keyless !== true;
}

function whatIsWrong(
  { isKeyRight, isUserRight, isForUserRight }: Record<'isKeyRight' | 'isUserRight' | 'isForUserRight', boolean>,
  { headers }: FastifyRequest,
): ProblemError[] {
  const errors: ProblemError[] = [];
  if (!isKeyRight) {
    const isMissing = headers['idempotency-key'] === undefined;
    errors.push({ detail: isMissing ? 'is required' : `must be ${describeKey}`, header: keyHeader });
  }
  const noId = 'must be 1 to 128 printable ASCII characters without spaces';
  if (!isUserRight) errors.push({ detail: noId, header: userHeader });
  if (!isForUserRight) errors.push({ detail: noId, header: forUserHeader });
  return errors;
}
