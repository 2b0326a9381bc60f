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
export function errorsOfHeaders(request: FastifyRequest): ProblemError[] {
  const { method, headers } = request;
  const errors: ProblemError[] = [];
  const isChange = method === 'POST' && request.routeOptions.config.keyless !== true;
  if (isChange && readKey(headers['idempotency-key']) === undefined) {
    const isMissing = headers['idempotency-key'] === undefined;
    errors.push({ detail: isMissing ? 'is required' : `must be ${describeKey}`, header: keyHeader });
  }
  const user = headers['x-holdfast-user'];
  if (typeof user === 'string' && user !== '' && !id.test(user)) {
    errors.push({ detail: 'must be 1 to 128 printable ASCII characters without spaces', header: userHeader });
  }
  return errors;
}
