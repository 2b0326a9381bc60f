import { hash } from 'node:crypto';

/** Stores whose hash is remembered. When it is reached all are forgotten, which costs one hash each. */
const MAX_REMEMBERED_STORES = 10_000;
const storeHashes = new Map<string, string>();

/**
 * The id of the order that this request is, on every path and for ever: a UUIDv8 whose bytes 0-1 are the store's hash and whose
 * bytes 2-15 are the first 14 of the SHA-256 over store, user and request id, each but the last preceded by its length and a
 * colon; version and variant are set over them. Ids are printable ASCII, so lengths are bytes.
 */
export function orderId(storeId: string, userId: string, requestId: string): string {
  const digest = hash('sha256', `${storeId.length}:${storeId}${userId.length}:${userId}${requestId}`, 'hex');
  return `${storeHashHex(storeId)}${digest.slice(0, 4)}-${digest.slice(4, 8)}-8${digest.slice(9, 12)}-${variantOf(digest)}${digest.slice(13, 16)}-${digest.slice(16, 28)}`;
}

/** The first 16 bits of the SHA-256 of a store id, 0..65535. */
export function storeHash(storeId: string): number {
  return Number.parseInt(storeHashHex(storeId), 16);
}

/** The shard of a store, 0..shards-1. */
export function shardOfStore(storeId: string, shards: number): number {
  return storeHash(storeId) % shards;
}

/** The shard of the store that an order belongs to, read from the order's id. */
export function shardOfOrder(id: string, shards: number): number {
  return storeHashOfOrder(id) % shards;
}

/** The hash of the store that an order belongs to, read from the order's id. */
export function storeHashOfOrder(id: string): number {
  return Number.parseInt(id.slice(0, 4), 16);
}

function storeHashHex(storeId: string): string {
  let hex = storeHashes.get(storeId);
  if (hex === undefined) {
    if (storeHashes.size >= MAX_REMEMBERED_STORES) storeHashes.clear();
    hex = hash('sha256', storeId, 'hex').slice(0, 4);
    storeHashes.set(storeId, hex);
  }
  return hex;
}

/**
 * The id of the order that an entry of a waitlist is offered: bytes 0-1 are the entry's, so that it names the same shard, and
 * bytes 2-15 the first 14 of the SHA-256 over the entry's 16 bytes; version and variant are set over them.
 */
export function offerOrderId(entryId: string): string {
  const digest = hash('sha256', Buffer.from(entryId.replaceAll('-', ''), 'hex'), 'hex');
  return `${entryId.slice(0, 4)}${digest.slice(0, 4)}-${digest.slice(4, 8)}-8${digest.slice(9, 12)}-${variantOf(digest)}${digest.slice(13, 16)}-${digest.slice(16, 28)}`;
}

function variantOf(digest: string): string {
  return '89ab'.charAt(Number.parseInt(digest.charAt(12), 16) & 3);
}
