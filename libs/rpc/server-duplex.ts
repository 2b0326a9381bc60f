import { Metadata, type ServerDuplexStream } from '@grpc/grpc-js';
import { Fault } from '#libs/refusal/fault.js';
import type { IncomingCall } from './call-context.js';
import { encodeBatch } from './definition.js';
import { localeOfCall, wireStatus } from './status.js';

/** The server's end of a bidirectional stream. A throwing listener ends the stream with its fault. */
export interface ServerDuplex<Request, Response> {
  onMessage(listener: (message: Request) => void): void;
  /** The caller sends no more; it still listens. */
  onEnd(listener: () => void): void;
  /**
   * Sends items in one message, or in several when one would be too long. `onTaken` is called when the transport has taken the
   * last. After the end of the stream it does nothing.
   */
  sendBatch<Item>(items: Item[], wrap: (items: Item[]) => Response, onTaken: () => void): void;
  /** Nothing can be sent any more, for whatever reason. */
  readonly ended: boolean;
  /** Ends the stream after all that was sent. */
  end(): void;
  /** Ends the stream with the fault that `thrown` is. */
  fail(thrown: unknown): void;
}

/** What a duplex needs of its method and its server. */
export interface DuplexEdge {
  encode(response: unknown): Buffer;
  leave(thrown: unknown): Fault;
}

/** Opens the server's end: the headers go out at once, by which the caller knows that it was accepted. */
export function serverDuplex<Request, Response>(
  grpc: ServerDuplexStream<Request | Fault, Buffer>,
  call: IncomingCall,
  edge: DuplexEdge,
): ServerDuplex<Request, Response> {
  let ended = false;
  const isOver = () => ended || grpc.cancelled;

  const fail = (thrown: unknown): void => {
    if (isOver()) return;
    ended = true;
    call.answered();
    grpc.emit('error', wireStatus(edge.leave(thrown), localeOfCall(call)));
  };
  const guarded =
    <Args extends unknown[]>(listener: (...args: Args) => void) =>
    (...args: Args): void => {
      if (isOver()) return;
      try {
        listener(...args);
      } catch (thrown) {
        fail(thrown);
      }
    };

  grpc.sendMetadata(new Metadata());
  return {
    onMessage: (listener) =>
      grpc.on(
        'data',
        guarded((message: Request | Fault) => (message instanceof Fault ? fail(message) : listener(message))),
      ),
    onEnd: (listener) => grpc.on('end', guarded(listener)),
    sendBatch(items, wrap, onTaken) {
      if (isOver()) return;
      const messages = encodeBatch(
        items,
        (part) => edge.encode(wrap(part)),
        (_, error) => fail(error),
      );
      if (isOver()) return;
      for (const bytes of messages) grpc.write(bytes, bytes === messages.at(-1) ? onTaken : undefined);
    },
    get ended() {
      return isOver();
    },
    end() {
      if (isOver()) return;
      ended = true;
      call.answered();
      grpc.end();
    },
    fail,
  };
}
