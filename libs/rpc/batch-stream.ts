import type { ClientDuplexStream } from '@grpc/grpc-js';
import { Fault } from '#libs/refusal/fault.js';
import { encodeBatch } from './definition.js';

/** An item of a batched stream. Both fields are set when it is sent. */
export interface BatchItem {
  itemId: number;
  remainingMs: number;
  /** The sampled trace that it is part of. */
  traceparent?: string | undefined;
}

/** The result of the item with this id. */
export interface BatchResult {
  itemId: number;
}

/** An item whose caller waits. Times are those of performance.now(). */
export interface Pending<Item, Result> {
  item: Item;
  deadlineMs: number;
  sentAtMs: number;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/** What a stream asks of the one that opened it, and tells it. */
export interface StreamOwner<Item, Result> {
  encode(items: Item[]): Buffer;
  /** Throws when the message cannot be read. */
  decode(bytes: Buffer): Result[];
  /** The peer has accepted the stream. */
  onOpen(): void;
  /** The stream can take a batch now. */
  onReady(): void;
  /** The stream is over. Its items were rejected: what became of them is unknown. */
  onClosed(cause: unknown): void;
}

/**
 * The client's end of one batched stream. It takes one batch at a time: the next when the transport has taken the last, never when
 * its items have been answered. Life: opening (until the peer's headers) -> open -> draining (half-closed, answers still come) -> closed.
 */
export class BatchStream<Item extends BatchItem, Result extends BatchResult> {
  readonly #grpc: ClientDuplexStream<Buffer, Buffer>;
  readonly #owner: StreamOwner<Item, Result>;
  readonly #maxInFlight: number;
  readonly #pending = new Map<number, Pending<Item, Result>>();
  #state: 'opening' | 'open' | 'draining' | 'closed' = 'opening';
  #isSending = false;
  #lastItemId = 0;
  #heardAtMs = 0;
  #isSilent = false;

  constructor(grpc: ClientDuplexStream<Buffer, Buffer>, owner: StreamOwner<Item, Result>, maxInFlight: number) {
    this.#grpc = grpc;
    this.#owner = owner;
    this.#maxInFlight = maxInFlight;
    grpc.once('metadata', () => this.#accepted());
    grpc.on('data', (bytes: Buffer) => this.#receive(bytes));
    grpc.on('error', (error) => this.#close(error));
    grpc.once('end', () => this.#close(new Error('the peer ended the stream')));
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /** Whether it can take a batch. */
  get isReady(): boolean {
    return this.#state === 'open' && !this.#isSending && this.#pending.size < this.#maxInFlight;
  }

  /** Whether items ran out of time here while the peer said nothing at all: it may be frozen, or cut off. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  /** Sends a batch. Only when isReady. */
  send(batch: Pending<Item, Result>[]): void {
    const now = performance.now();
    for (const pending of batch) {
      this.#lastItemId = (this.#lastItemId + 1) >>> 0;
      pending.item.itemId = this.#lastItemId;
      pending.item.remainingMs = Math.max(1, Math.floor(pending.deadlineMs - now));
      pending.sentAtMs = now;
      this.#pending.set(this.#lastItemId, pending);
    }
    const items = batch.map((pending) => pending.item);
    const messages = encodeBatch(
      items,
      (part) => this.#owner.encode(part),
      (item, error) => this.#take(item.itemId)?.reject(error),
    );
    this.#isSending = messages.length > 0;
    for (const bytes of messages) this.#grpc.write(bytes, bytes === messages.at(-1) ? this.#taken : undefined);
  }

  /** Takes no more; answers to what was sent still come, then the peer ends the stream. */
  drain(): void {
    if (this.#state === 'opening') this.cancel();
    if (this.#state !== 'open') return;
    this.#state = 'draining';
    this.#grpc.end();
  }

  /** Ends the stream at once. */
  cancel(): void {
    this.#close(new Error('the stream was cancelled'));
    this.#grpc.cancel();
  }

  /** Rejects what has run out of time. Its outcome is unknown. */
  expire(now: number, tooLate: Fault): void {
    for (const [itemId, pending] of this.#pending) {
      if (pending.deadlineMs > now) continue;
      this.#pending.delete(itemId);
      if (this.#heardAtMs < pending.sentAtMs) this.#isSilent = true;
      pending.reject(tooLate);
    }
  }

  readonly #taken = (): void => {
    this.#isSending = false;
    if (this.isReady) this.#owner.onReady();
  };

  #accepted(): void {
    if (this.#state !== 'opening') return;
    this.#state = 'open';
    this.#owner.onOpen();
    this.#owner.onReady();
  }

  #receive(bytes: Buffer): void {
    this.#heardAtMs = performance.now();
    this.#isSilent = false;
    let results: Result[];
    try {
      results = this.#owner.decode(bytes);
    } catch (error) {
      this.#close(error);
      this.#grpc.cancel();
      return;
    }
    const wasFull = !this.isReady;
    for (const result of results) this.#take(result.itemId)?.resolve(result);
    if (wasFull && this.isReady) this.#owner.onReady();
  }

  #take(itemId: number): Pending<Item, Result> | undefined {
    const pending = this.#pending.get(itemId);
    this.#pending.delete(itemId);
    return pending;
  }

  #close(cause: unknown): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    if (this.#pending.size > 0) {
      const fault = new Fault('UNAVAILABLE', 'The connection to the peer ended before the answer', { cause });
      for (const pending of this.#pending.values()) pending.reject(fault);
      this.#pending.clear();
    }
    this.#owner.onClosed(cause);
  }
}
