import { type Client, connectivityState, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import type { Fault } from '#libs/refusal/fault.js';
import type { Logger } from '#libs/runtime/logger.js';
import { type BatchItem, type BatchResult, BatchStream, type Pending, type StreamOwner } from './batch-stream.js';
import type { Target } from './target.js';
import { channelOptions, openChannel } from './transport.js';

export interface PeerOptions<Item, Result> extends Pick<StreamOwner<Item, Result>, 'encode' | 'decode' | 'onReady'> {
  path: string;
  target: Target;
  maxInFlight: number;
  /** Headers of each stream, asked for when it opens. */
  metadata?: (() => Readonly<Record<string, string>>) | undefined;
  logger: Logger;
}

/** Asking again at once would be refused again, and fill the log. */
const REFUSED_PAUSE_MS = 1_000;

const asIs = (bytes: Buffer): Buffer => bytes;

/**
 * Keeps one stream open to one address. A stream that breaks is opened again; one whose connection the peer wants to leave
 * (GOAWAY: it drains) gets nothing more and ends when its last item is answered, while a new one is tried.
 */
export class BatchPeer<Item extends BatchItem, Result extends BatchResult> {
  readonly #address: string;
  readonly #options: PeerOptions<Item, Result>;
  readonly #channel: Client;
  readonly #streams = new Set<BatchStream<Item, Result>>();
  #current: BatchStream<Item, Result> | undefined;
  #reopen: NodeJS.Timeout | undefined;
  #isWatching = false;
  #closed = false;

  constructor(address: string, options: PeerOptions<Item, Result>) {
    this.#address = address;
    this.#options = options;
    // A connection of its own: unary calls to the same address shall not wait behind batches.
    this.#channel = openChannel(options.target, { ...channelOptions, 'grpc.use_local_subchannel_pool': 1 });
    this.#open();
  }

  get isOpen(): boolean {
    return this.#current?.isOpen ?? false;
  }

  get isReady(): boolean {
    return this.#current?.isReady ?? false;
  }

  get isSilent(): boolean {
    return this.#current?.isSilent ?? false;
  }

  /** Whether it has left and everything that was in flight is settled. */
  get isGone(): boolean {
    return this.#closed && this.#streams.size === 0;
  }

  send(batch: Pending<Item, Result>[]): void {
    this.#current?.send(batch);
  }

  expire(now: number, tooLate: Fault): void {
    for (const stream of this.#streams) stream.expire(now, tooLate);
  }

  /** The address is gone from the target: finish what is in flight, open nothing more. */
  leave(): void {
    this.#closed = true;
    clearTimeout(this.#reopen);
    this.#current?.drain();
    if (this.isGone) this.#channel.close();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#reopen);
    for (const stream of [...this.#streams]) stream.cancel();
    this.#channel.close();
  }

  #open(): void {
    const metadata = new Metadata();
    for (const [name, value] of Object.entries(this.#options.metadata?.() ?? {})) metadata.set(name, value);
    const grpc = this.#channel.makeBidiStreamRequest(this.#options.path, asIs, asIs, metadata);
    const { encode, decode, onReady, maxInFlight, logger } = this.#options;
    let wasOpen = false;
    const onOpen = (): void => {
      wasOpen = true;
      logger.info({ peer: this.#address }, 'stream to peer opened');
      this.#watchConnection();
    };
    const onClosed = (cause: unknown): void => {
      if (wasOpen) logger.info({ peer: this.#address, err: cause }, 'stream to peer ended');
      else if (isRefusal(cause))
        logger.error({ peer: this.#address, err: cause }, 'the peer does not let this stream in');
      this.#streams.delete(stream);
      if (this.#current === stream) this.#reopenSoon(isRefusal(cause) ? REFUSED_PAUSE_MS : 0);
      if (this.isGone) this.#channel.close();
    };
    const stream = new BatchStream<Item, Result>(grpc, { encode, decode, onReady, onOpen, onClosed }, maxInFlight);
    this.#streams.add(stream);
    this.#current = stream;
  }

  #reopenSoon(moreMs = 0): void {
    this.#current = undefined;
    clearTimeout(this.#reopen);
    if (this.#closed) return;
    this.#reopen = setTimeout(() => this.#open(), moreMs + 100 + Math.random() * 100);
  }

  /** A channel leaves READY when its connection ends, or when the peer says that it will. */
  #watchConnection(): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    const onLeft = (): void => {
      this.#isWatching = false;
      if (this.#closed || this.#current?.isOpen !== true) return;
      this.#current.drain();
      this.#reopenSoon();
    };
    const channel = this.#channel.getChannel();
    if (channel.getConnectivityState(false) !== connectivityState.READY) onLeft();
    else channel.watchConnectivityState(connectivityState.READY, Number.POSITIVE_INFINITY, onLeft);
  }
}

/** Whether the peer is there and says no to whoever opens the stream: that does not mend itself. */
function isRefusal(cause: unknown): boolean {
  const { code } = cause as Partial<ServiceError>;
  return code === status.UNAUTHENTICATED || code === status.PERMISSION_DENIED;
}
