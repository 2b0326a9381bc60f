import type { FastifyReply } from 'fastify';

/** Adds a field of the request to those by which the answer varies. */
export function varyBy(reply: FastifyReply, field: string): void {
  const already = reply.getHeader('vary');
  reply.header('vary', already === undefined ? field : `${already}, ${field}`);
}
