import type { FastifyRequest } from 'fastify';
import { Fault } from '#libs/refusal/fault.js';

export const userHeader = 'X-Holdfast-User';

/** Who the request is from. Local mode believes the header; how it is written is judged with the rest of the request. */
export function userOf(request: FastifyRequest): string {
  const user = request.headers['x-holdfast-user'];
  if (typeof user === 'string' && user !== '') return user;
  throw new Fault('USER_MISSING', `The header ${userHeader} names no user`);
}
