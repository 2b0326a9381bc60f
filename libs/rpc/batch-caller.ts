import { BatchQueue } from '#libs/lane/batch-queue.js';
import { Fault } from '#libs/refusal/fault.js';
import type { Logger } from '#libs/runtime/logger.js';
import { tracing } from '#libs/tracing/tracing.js';
import { Addresses } from './addresses.js';
import { BatchPeer } from './batch-peer.js';
import type { BatchItem, BatchResult, Pending } from './batch-stream.js';
import {
  DEFAULT_MAX_REQUEST_BYTES,
  encodeWithin,
  type MessageType,
  pathOf,
  type ServiceDefinition,
} from './definition.js';
import { batchRecorder, type RpcMetrics } from './metrics.js';
import { addressesOf, at, type Target } from './target.js';

// Shared by all that are late: refusing must be cheapest when it happens most.
const tooLate = new Fault('TOO_LATE', 'No answer came in time');
const closed = new Fault('UNAVAILABLE', 'This side is closing');

/** How late an item may learn that its time is over. */
const EXPIRE_EVERY_MS = 50;

export interface BatchCallerOptions<Item, Result, Request, Response> {
  service: ServiceDefinition;
  /** A bidirectional method of the service. */
  method: {
    readonly name: string;
    readonly requestType: MessageType<Request>;
    readonly responseType: MessageType<Response>;
  };
  target: Target;
  wrap: (items: Item[]) => Request;
  results: (response: Response) => Result[];
  logger: Logger;
  metrics?: RpcMetrics;
  /** Keys take turns when more waits than one batch holds: the store of an item. */
  keyOf?: (item: Item) => string;
  /** Items in one message at most (500). */
  maxBatch?: number;
  /** Items that may wait to be sent (20,000); more are refused with BUSY. */
  maxWaiting?: number;
  /** Items sent to one peer and not answered (10,000); more wait. */
  maxInFlight?: number;
  /** Headers of each stream, asked for when it opens. */
  metadata?: () => Readonly<Record<string, string>>;
  /** Longest request (1 MB); a batch that is longer goes in parts. */
  maxRequestBytes?: number;
}

/** What a caller hands over: the rest is set when the item is sent. The object is the BatchCaller's from then on. */
export type Unsent<Item extends BatchItem> = Omit<Item, 'itemId' | 'remainingMs'>;

/**
 * Calls a bidirectional method item by item over one long-lived stream to each address of the target. What is called in one tick
 * goes in one message, and so does whatever arrives until the transport has taken it; batches go round the streams that are open.
 */
export class BatchCaller<Item extends BatchItem, Result extends BatchResult, Request = unknown, Response = unknown> {
  readonly #queue: BatchQueue<Pending<Item, Result>>;
  readonly #full: Fault;
  readonly #addresses: Addresses;
  readonly #openPeer: (address: string) => BatchPeer<Item, Result>;
  readonly #peersByAddress = new Map<string, BatchPeer<Item, Result>>();
  readonly #count: (items: number) => void;
  readonly #expiry: NodeJS.Timeout;
  /** Those of #peersByAddress, and those that have left and still have items in flight. */
  #peers: BatchPeer<Item, Result>[] = [];
  #next = 0;
  #now = performance.now();
  #flushIsDue = false;
  #closed = false;

  constructor(options: BatchCallerOptions<Item, Result, Request, Response>) {
    const { service, method, wrap, results, logger, keyOf, maxRequestBytes = DEFAULT_MAX_REQUEST_BYTES } = options;
    const name = `${service.name}.${method.name}`;
    this.#full = new Fault('BUSY', `Too many items wait for ${name}`, { metadata: { stream: name } });
    this.#count = batchRecorder(options.metrics, `${name} sent`);
    this.#queue = new BatchQueue({
      ...(options.maxBatch !== undefined && { maxBatch: options.maxBatch }),
      ...(options.maxWaiting !== undefined && { maxWaiting: options.maxWaiting }),
      ...(keyOf !== undefined && { keyOf: (pending: Pending<Item, Result>) => keyOf(pending.item) }),
      droppedIf: (pending) => (pending.deadlineMs <= this.#now ? tooLate : undefined),
    });
    this.#openPeer = (address) =>
      new BatchPeer(address, {
        target: at(options.target, address),
        path: pathOf(service, method),
        maxInFlight: options.maxInFlight ?? 10_000,
        metadata: options.metadata,
        logger,
        encode: (items) => encodeWithin(method.requestType, wrap(items), maxRequestBytes),
        decode: (bytes) => results(method.responseType.decode(bytes)),
        onReady: () => this.#flushSoon(),
      });
    this.#addresses = new Addresses(addressesOf(options.target), (addresses) => this.#update(addresses));
    this.#expiry = setInterval(() => this.#expire(), EXPIRE_EVERY_MS);
    this.#expiry.unref();
  }

  /** Items that wait to be sent. */
  get waiting(): number {
    return this.#queue.waiting;
  }

  /** Peers with an open stream. */
  get openPeers(): number {
    return this.#peers.filter((peer) => peer.isOpen).length;
  }

  /**
   * Resolves with the item's result. While no peer can take it, it waits. Rejects with Fault BUSY when too many wait, with TOO_LATE after
   * deadlineMs, and with UNAVAILABLE when the stream that carries it breaks: after the last two the outcome is unknown.
   */
  call(item: Unsent<Item>, deadlineMs: number): Promise<Result> {
    if (tracing !== undefined) (item as Item).traceparent = tracing.traceparent;
    return new Promise((resolve, reject) => {
      const pending = { item: item as Item, deadlineMs: performance.now() + deadlineMs, sentAtMs: 0, resolve, reject };
      if (this.#closed) reject(closed);
      else if (this.#queue.push(pending)) this.#flushSoon();
      else reject(this.#full);
    });
  }

  /** Ends all streams at once; what is under way is rejected with UNAVAILABLE. Close it when nothing is under way. */
  close(): void {
    this.#closed = true;
    clearInterval(this.#expiry);
    this.#addresses.close();
    for (const peer of this.#peers) peer.close();
    this.#now = Number.POSITIVE_INFINITY;
    this.#queue.prune((pending) => pending.reject(closed));
  }

  #flushSoon(): void {
    if (this.#flushIsDue) return;
    this.#flushIsDue = true;
    setImmediate(this.#flush);
  }

  readonly #flush = (): void => {
    this.#flushIsDue = false;
    this.#now = performance.now();
    while (this.#queue.waiting > 0) {
      const peer = this.#nextReady();
      if (peer === undefined) return;
      const batch = this.#queue.take(reject);
      if (batch.length === 0) continue;
      this.#count(batch.length);
      peer.send(batch);
    }
  };

  /** The next in turn that can take a batch; a silent one only when there is no other. */
  #nextReady(): BatchPeer<Item, Result> | undefined {
    let silent: BatchPeer<Item, Result> | undefined;
    for (let i = 0; i < this.#peers.length; i += 1) {
      this.#next = (this.#next + 1) % this.#peers.length;
      const peer = this.#peers[this.#next];
      if (!peer?.isReady) continue;
      if (!peer.isSilent) return peer;
      silent ??= peer;
    }
    return silent;
  }

  #expire(): void {
    this.#now = performance.now();
    for (const peer of this.#peers) peer.expire(this.#now, tooLate);
    this.#peers = this.#peers.filter((peer) => !peer.isGone);
    this.#queue.prune(reject);
  }

  #update(addresses: readonly string[]): void {
    for (const [address, peer] of this.#peersByAddress) {
      if (addresses.includes(address)) continue;
      this.#peersByAddress.delete(address);
      peer.leave();
    }
    for (const address of addresses) {
      if (this.#peersByAddress.has(address)) continue;
      const peer = this.#openPeer(address);
      this.#peersByAddress.set(address, peer);
      this.#peers.push(peer);
    }
  }
}

function reject(pending: { reject: (fault: Fault) => void }, fault: Fault): void {
  pending.reject(fault);
}
