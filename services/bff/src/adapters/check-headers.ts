import type { FastifyRequest } from 'fastify';
import { isIdentityId } from '#libs/identity/principal.js';
import { describeKey, keyHeader, readKey } from './idempotency-key.js';
import { forUserHeader } from './identity.js';
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
  // A key that names the request was read already.
  const isKeyRight = key === request.id || !isChange(request) || readKey(key) !== undefined;
  const forUser = headers['holdfast-for-user'];
  const isForUserRight = forUser === undefined || isIdentityId(forUser);
  return isKeyRight && isForUserRight ? none : whatIsWrong(isKeyRight, isForUserRight, request);
}

const none: readonly ProblemError[] = [];

function isChange({ method, routeOptions }: FastifyRequest): boolean {
  return (method === 'POST' || method === 'DELETE') && routeOptions.config.keyless !== true;
}

function whatIsWrong(isKeyRight: boolean, isForUserRight: boolean, { headers }: FastifyRequest): ProblemError[] {
  const errors: ProblemError[] = [];
  if (!isKeyRight) {
    const isMissing = headers['idempotency-key'] === undefined;
    errors.push({ detail: isMissing ? 'is required' : `must be ${describeKey}`, header: keyHeader });
  }
  if (!isForUserRight) {
    errors.push({ detail: 'must be 1 to 128 printable ASCII characters without spaces', header: forUserHeader });
  }
  return errors;
}
