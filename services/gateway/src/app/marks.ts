import { hash, randomUUID } from 'node:crypto';

// Digests go to Redis with every change: base64 is the shortest text of them.

/** Names the mark of a change of an order: each method and user has request ids of its own. */
export function markOf(method: string, userId: string, requestId: string): string {
  return digestOf([method, userId, requestId], 'hex');
}

/** The shard of such a mark, by its own hash. */
export function shardOfMark(markId: string, shards: number): number {
  return Number.parseInt(markId.slice(0, 8), 16) % shards;
}

/** Of what is asked. No two lists of parts have the same. */
export function fingerprintOf(parts: readonly (string | number)[]): string {
  return digestOf(parts, 'base64');
}

function digestOf(parts: readonly (string | number)[], encoding: 'hex' | 'base64'): string {
  let text = '';
  for (const part of parts) text += `${String(part).length}:${part}`;
  return hash('sha256', text, encoding);
}

const ownProcess = randomUUID().slice(0, 8);
let tries = 0;

/** Names one try among those of all gateways. */
export function nextOwner(): string {
  tries += 1;
  return `${ownProcess}-${tries.toString(36)}`;
}
