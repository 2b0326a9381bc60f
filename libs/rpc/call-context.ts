import type { PeerCertificate } from 'node:tls';
import type { Metadata } from '@grpc/grpc-js';
import type { Principal } from '#libs/identity/principal.js';
import { Fault } from '#libs/refusal/fault.js';
import { serviceNamed } from './certificate-name.js';

/** What a handler knows about the call it answers. */
export interface CallContext {
  /** Milliseconds until the caller gives up, never negative; Infinity when it set no deadline. */
  remainingMs(): number;
  /** Aborts with a Fault when the caller goes away or its deadline passes before the call has been answered. */
  readonly signal: AbortSignal;
  /** The first value of a header, by its lower-case name. */
  metadata(name: string): string | undefined;
  /** Address of the caller. */
  readonly peer: string;
  /** The service that calls, as its certificate says; undefined when it showed none. */
  readonly peerName: string | undefined;
  /** Who calls, as the server's `authorize` found; undefined when it let nobody in particular in, or there is none. */
  readonly principal: Principal | undefined;
}

/** What the four shapes of an incoming call have in common. */
export interface ServerCall {
  readonly cancelled: boolean;
  readonly metadata: Metadata;
  getDeadline(): Date | number;
  getPeer(): string;
  getAuthContext(): { sslPeerCertificate?: PeerCertificate };
  once(event: 'cancelled', listener: () => void): unknown;
}

/** The CallContext of one incoming call. What not every handler wants is made when it is asked for. */
export class IncomingCall implements CallContext {
  principal: Principal | undefined;
  readonly #call: ServerCall;
  readonly #deadline: number;
  #abort: AbortController | undefined;
  #answered = false;
  /** Why the server itself ends the call. */
  ended: Fault | undefined;

  constructor(call: ServerCall) {
    this.#call = call;
    this.#deadline = Number(call.getDeadline());
  }

  remainingMs(): number {
    return Math.max(0, this.#deadline - Date.now());
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      if (this.ended !== undefined) this.#abort.abort(this.ended);
      else if (this.#call.cancelled && !this.#answered) this.#cancel();
      else this.#call.once('cancelled', this.#cancel);
    }
    return this.#abort.signal;
  }

  metadata(name: string): string | undefined {
    const [value] = this.#call.metadata.get(name);
    return typeof value === 'string' ? value : undefined;
  }

  get peer(): string {
    return this.#call.getPeer();
  }

  get peerName(): string | undefined {
    const { sslPeerCertificate } = this.#call.getAuthContext();
    return sslPeerCertificate && serviceNamed(sslPeerCertificate);
  }

  /** The answer is on its way. The transport reports every end of a call as cancelled; after this it means nothing. */
  answered(): void {
    this.#answered = true;
  }

  /** Ends the call from this side: its signal aborts, and its status is to be the fault. */
  end(fault: Fault): void {
    this.ended = fault;
    this.#abort?.abort(fault);
  }

  readonly #cancel = (): void => {
    if (!this.#answered) this.#abort?.abort(new Fault('CANCELLED', 'The caller went away or its time was over'));
  };
}
