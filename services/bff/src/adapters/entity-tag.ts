import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

const hashLength = 22;
const tags = /(?:W\/)?"([!\x23-\x7e\x80-\xff]*)"/g;

/**
 * What a GET answers gets the ETag of its bytes, and is 304 without them when the reader has just these (If-None-Match, compared
 * weakly, as RFC 9110 has it). Whoever keeps an answer asks before it is used again; what is a user's own nobody else may keep.
 */
export function tagAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error: null, payload: unknown) => void,
): void {
  done(null, reply.statusCode === 200 && typeof payload === 'string' ? tagged(request, reply, payload) : payload);
}

function tagged(request: FastifyRequest, reply: FastifyReply, payload: string): string | null {
  const tag = createHash('sha256').update(payload).digest('base64url').slice(0, hashLength);
  reply.header('etag', `"${tag}"`);
  reply.header('cache-control', request.routeOptions.config.isOwn ? 'private, no-cache' : 'no-cache');
  if (!names(request.headers['if-none-match'], tag)) return payload;
  reply.code(304).removeHeader('content-type');
  // Of a HEAD the framework takes the body away by itself, and says how long it is.
  return request.method === 'HEAD' ? payload : null;
}

function names(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  return header.trim() === '*' || [...header.matchAll(tags)].some(([, opaque]) => opaque === tag);
}
