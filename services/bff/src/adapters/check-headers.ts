import type { FastifyRequest } from 'fastify';
import { describeKey, keyHeader, readKey } from './idempotency-key.js';
import { userHeader } from './identity.js';
import type { ProblemError } from './invalid-request.js';

const id = /^[\x21-\x7e]{1,128}$/;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A POST that changes nothing needs no key. */
    keyless?: boolean;
  }
}

/** What is wrong with the headers: every change has a key, and whoever is named has an id. */
export function errorsOfHeaders(request: FastifyRequest): readonly ProblemError[] {
  const { headers } = request;
  const key = headers['idempotency-key'];
  const user = headers['x-holdfast-user'];
  // A key that names the request was read already.
  const isKeyRight = key === request.id || !isChange(request) || readKey(key) !== undefined;
  const isUserRight = typeof user !== 'string' || user === '' || id.test(user);
  return isKeyRight && isUserRight ? none : whatIsWrong(isKeyRight, isUserRight, request);
}

const none: readonly ProblemError[] = [];

function isChange({ method, routeOptions }: FastifyRequest): boolean {
  return (method === 'POST' || method === 'DELETE') && routeOptions.config.keyless !== true;
}

function whatIsWrong(isKeyRight: boolean, isUserRight: boolean, { headers }: FastifyRequest): ProblemError[] {
  const errors: ProblemError[] = [];
  if (!isKeyRight) {
    const isMissing = headers['idempotency-key'] === undefined;
    errors.push({ detail: isMissing ? 'is required' : `must be ${describeKey}`, header: keyHeader });
  }
  if (!isUserRight) {
    errors.push({ detail: 'must be 1 to 128 printable ASCII characters without spaces', header: userHeader });
  }
  return errors;
}
