import { type Client, connectivityState, Metadata } from '@grpc/grpc-js';
import type { Fault } from '#libs/refusal/fault.js';
import type { Logger } from '#libs/runtime/logger.js';
import { type BatchItem, type BatchResult, BatchStream, type Pending, type StreamOwner } from './batch-stream.js';
import { channelOptions, openChannel } from './transport.js';

export interface PeerOptions<Item, Result> extends Pick<StreamOwner<Item, Result>, 'encode' | 'decode' | 'onReady'> {
  path: string;
  maxInFlight: number;
  logger: Logger;
}

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
    this.#channel = openChannel(address, { ...channelOptions, 'grpc.use_local_subchannel_pool': 1 });
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
    const grpc = this.#channel.makeBidiStreamRequest(this.#options.path, asIs, asIs, new Metadata());
    const { encode, decode, onReady, maxInFlight, logger } = this.#options;
    let wasOpen = false;
    const onOpen = (): void => {
      wasOpen = true;
      logger.info({ peer: this.#address }, 'stream to peer opened');
      this.#watchConnection();
    };
    const onClosed = (cause: unknown): void => {
      if (wasOpen) logger.info({ peer: this.#address, err: cause }, 'stream to peer ended');
      this.#streams.delete(stream);
      if (this.#current === stream) this.#reopenSoon();
      if (this.isGone) this.#channel.close();
    };
    const stream = new BatchStream<Item, Result>(grpc, { encode, decode, onReady, onOpen, onClosed }, maxInFlight);
    this.#streams.add(stream);
    this.#current = stream;
  }

  #reopenSoon(): void {
    this.#current = undefined;
    clearTimeout(this.#reopen);
    if (this.#closed) return;
    this.#reopen = setTimeout(() => this.#open(), 100 + Math.random() * 100);
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
