import { readId, readNumber, readReason } from './typed.js';

/** A plan, an alert or a letter by its number, and why it is dealt with, as they were typed. */
export interface TypedDeed {
  /** What the number is called on the command line: `PLAN`. */
  name: string;
  number: string;
  reason: string | undefined;
}

type Read<Value> = Value | { problems: string[] };

/** A number and a reason, or everything that is wrong with them. */
export function readDeed({ name, number: text, reason: typed }: TypedDeed): Read<{ number: number; reason: string }> {
  const problems: string[] = [];
  const number = readNumber(numbered(name, text), problems);
  const reason = readReason(typed, problems);
  return problems.length > 0 || number === undefined ? { problems } : { number, reason };
}

/** The number of a plan, an alert or a letter, or what is wrong with it. */
export function readNumberOf(name: string, text: string): Read<{ number: number }> {
  const problems: string[] = [];
  const number = readNumber(numbered(name, text), problems);
  return number === undefined ? { problems } : { number };
}

/** Ids of skus, or everything that is wrong with them. */
export function readSkuIds(name: string, typed: readonly string[]): Read<{ skuIds: string[] }> {
  const problems: string[] = [];
  const skuIds = typed.map((text) => readId(name, text, problems) ?? '');
  return problems.length > 0 ? { problems } : { skuIds };
}

function numbered(name: string, text: string) {
  return { name, text, low: 1, high: Number.MAX_SAFE_INTEGER };
}
