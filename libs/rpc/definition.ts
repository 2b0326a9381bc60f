import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { Fault } from '#libs/refusal/fault.js';

/** What generated code offers for each message type; only as much as is used here. */
export interface MessageType<Message = unknown> {
  encode(message: Message, writer?: BinaryWriter): { finish(): Uint8Array };
  decode(bytes: Uint8Array): Message;
}

/** One generated method. */
export interface MethodDefinition {
  readonly name: string;
  readonly requestType: MessageType;
  readonly requestStream: boolean;
  readonly responseType: MessageType;
  readonly responseStream: boolean;
  readonly options: { readonly idempotencyLevel?: 'IDEMPOTENT' | 'NO_SIDE_EFFECTS' };
}

/** A generated service such as InventoryServiceDefinition. */
export interface ServiceDefinition {
  readonly name: string;
  readonly fullName: string;
  readonly methods: Readonly<Record<string, MethodDefinition>>;
}

/** A service with some of its methods: what one of several owners serves or calls. */
export type PartOf<Definition extends ServiceDefinition, Name extends keyof Definition['methods']> = Omit<
  Definition,
  'methods'
> & { readonly methods: Pick<Definition['methods'], Name> };

/** The part of a service that is made of the named methods. */
export function partOf<Definition extends ServiceDefinition, const Name extends keyof Definition['methods'] & string>(
  definition: Definition,
  names: readonly Name[],
): PartOf<Definition, Name> {
  const methods = Object.fromEntries(names.map((name) => [name, definition.methods[name]]));
  return { ...definition, methods: methods as Pick<Definition['methods'], Name> };
}

type MessageOf<Type> = Type extends { decode(bytes: Uint8Array): infer Message } ? Message : never;
export type RequestOf<Method extends MethodDefinition> = MessageOf<Method['requestType']>;
export type ResponseOf<Method extends MethodDefinition> = MessageOf<Method['responseType']>;

/** A request may be this long unless a server or client says otherwise. */
export const DEFAULT_MAX_REQUEST_BYTES = 1_000_000;

/** A response may be this long: as much as any gRPC client takes unless it is told otherwise. */
export const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;

/** The path of a method on the wire. */
export function pathOf(service: ServiceDefinition, method: { readonly name: string }): string {
  return `/${service.fullName}/${method.name}`;
}

/** One for all messages: its buffer has grown to their size, where a new one would grow anew for each. */
let writer = new BinaryWriter();

export function encode<Message>(type: MessageType<Message>, message: Message): Buffer {
  try {
    const bytes = type.encode(message, writer).finish();
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  } catch (error) {
    // What it has of the message would be the beginning of the next one.
    writer = new BinaryWriter();
    throw error;
  }
}

/** Encodes a message that may have so many bytes; Fault INVALID_REQUEST when it has more. */
export function encodeWithin<Message>(type: MessageType<Message>, message: Message, maxBytes: number): Buffer {
  const bytes = encode(type, message);
  if (bytes.length > maxBytes) throw tooLong(bytes.length, maxBytes);
  return bytes;
}

/**
 * Encodes items as one message, or as several when it would be too long. An item that cannot be sent even alone is refused
 * by itself: it spoils nothing for the others.
 */
export function encodeBatch<Item>(
  items: Item[],
  encodeItems: (items: Item[]) => Buffer,
  onRefused: (item: Item, error: unknown) => void,
): Buffer[] {
  try {
    return items.length === 0 ? [] : [encodeItems(items)];
  } catch (error) {
    const [first] = items;
    if (items.length === 1) {
      onRefused(first as Item, error);
      return [];
    }
    const half = items.length >> 1;
    return [items.slice(0, half), items.slice(half)].flatMap((part) => encodeBatch(part, encodeItems, onRefused));
  }
}

/** Decodes a message that comes from outside: what cannot be read is a fault, not an exception in the transport. */
export function decoder<Message>(type: MessageType<Message>): (bytes: Buffer) => Message | Fault {
  return (bytes) => {
    try {
      return type.decode(bytes);
    } catch (cause) {
      return new Fault('INVALID_REQUEST', 'The message cannot be read', { cause });
    }
  };
}

function tooLong(bytes: number, maxBytes: number): Fault {
  return new Fault('INVALID_REQUEST', `The message has ${bytes} bytes, at most ${maxBytes} are taken`, {
    metadata: { bytes: String(bytes), max_bytes: String(maxBytes) },
  });
}
