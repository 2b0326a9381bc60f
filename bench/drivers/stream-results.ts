import type { ItemEnded } from './stream-load.js';

/** Outcomes of a ReserveResponse by their field numbers. */
const outcomes: Record<number, string> = { 1: 'HELD', 2: 'PENDING', 3: 'REFUSED', 4: 'QUEUED' };

/**
 * Reads a ReserveStreamResponse: of each result the item's id and how it ended, and skips the rest. Decoding orders that
 * nobody looks at would cost the driver more than all else it does.
 */
export function readResults(message: Buffer, onEnded: ItemEnded): void {
  const reader = { message, at: 0 };
  while (reader.at < message.length) {
    varint(reader); // The field `results`, the only one.
    const end = varint(reader) + reader.at;
    readResult(reader, end, onEnded);
    reader.at = end;
  }
}

interface Reader {
  message: Buffer;
  at: number;
}

/** Fields come in the order of their numbers. An id of 0 is left out. */
function readResult(reader: Reader, end: number, onEnded: ItemEnded): void {
  let item = 0;
  let outcome = 'an unknown outcome';
  while (reader.at < end) {
    const field = varint(reader) >> 3;
    const value = varint(reader);
    if (field === 1) {
      item = value;
      continue;
    }
    const [next, after] = [reader.at, reader.at + value];
    const tag = value > 0 ? varint(reader) : 0;
    if (field === 2) outcome = outcomes[tag >> 3] ?? outcome;
    if (field === 3) outcome = `status ${tag >> 3 === 1 ? varint(reader) : 0}`;
    reader.at = Math.max(next, after);
  }
  onEnded(item, outcome);
}

function varint(reader: Reader): number {
  let value = 0;
  for (let factor = 1; ; factor *= 128) {
    const byte = reader.message[reader.at++] ?? 0;
    value += (byte & 127) * factor;
    if (byte < 128) return value;
  }
}
