import type { FastifyReply } from 'fastify';

/** Says when to come again: whole seconds, never too soon, and never at once. */
export function setRetryAfter(reply: FastifyReply, retryAfterMs: number): void {
  reply.header('retry-after', Math.max(1, Math.ceil(retryAfterMs / 1_000)));
}
