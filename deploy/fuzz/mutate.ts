import type { Random } from '../rush/random.js';

/** Values that parsers, validators and databases have stumbled over. */
const ODD_VALUES: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 1e308, -0, 2 ** 31, 2 ** 53, '', ' ', '0', '-3', '1e9', 'null', 'NaN', [], {}],
  ...[[[]], [null], { toString: 1 }, '\u0000', 'a\u0000b', '\ud800', '🎟️', '../..', 'a/b', '%2e%2e%2f', "' OR 1=1 --"],
  ...['x'.repeat(129), 'x'.repeat(5_000), '𝒳'.repeat(128), '\u202e', '{{7*7}}', '<script>', '\r\nx-injected: 1'],
];
const ODD_NAMES = ['__proto__', 'constructor', 'toString', 'user_id', 'unit_price_minor', '', 'force', 'x'.repeat(300)];
const DEEPEST = 200;

export function pick<T>(random: Random, [first, ...others]: readonly [T, ...T[]]): T {
  const at = random.integer(0, others.length);
  return at === 0 ? first : (others[at - 1] ?? first);
}

function oddValue(random: Random): unknown {
  return ODD_VALUES[random.integer(0, ODD_VALUES.length - 1)];
}

/** A text that is rarely what an id should be. */
export function oddText(random: Random): string {
  const value = oddValue(random);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The same value with one thing in it changed: a value, a member more, less or twice, or its nesting. */
export function mutateJson(random: Random, value: unknown): unknown {
  if (Array.isArray(value) && value.length > 0 && random.next() < 0.8) return mutateArray(random, value);
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && random.next() < 0.9) {
    return mutateObject(random, Object.entries(value));
  }
  return random.next() < 0.02 ? nested(random.integer(2, DEEPEST), value) : oddValue(random);
}

function mutateArray(random: Random, items: readonly unknown[]): unknown[] {
  const at = random.integer(0, items.length - 1);
  const kind = random.integer(0, 3);
  if (kind === 0) return items.toSpliced(at, 1);
  if (kind === 1) return new Array<unknown>(random.integer(2, 120)).fill(items[at]);
  return items.with(at, mutateJson(random, items[at]));
}

function mutateObject(random: Random, members: readonly [string, unknown][]): unknown {
  const at = random.integer(0, Math.max(0, members.length - 1));
  const member = members[at];
  const kind = random.integer(0, 4);
  if (member === undefined || kind === 0) return fromMembers([...members, [oddName(random), oddValue(random)]]);
  if (kind === 1) return fromMembers(members.toSpliced(at, 1));
  return fromMembers(members.with(at, [member[0], mutateJson(random, member[1])]));
}

/** Also `__proto__` becomes a member of its own. */
function fromMembers(members: readonly (readonly [string, unknown])[]): unknown {
  return Object.fromEntries(members);
}

function oddName(random: Random): string {
  return ODD_NAMES[random.integer(0, ODD_NAMES.length - 1)] ?? '';
}

function nested(depth: number, value: unknown): unknown {
  let outer = value;
  for (let level = 0; level < depth; level += 1) outer = [outer];
  return outer;
}

/** The same bytes with some of them flipped, lost, doubled or put in. */
export function mutateBytes(random: Random, bytes: Uint8Array): Buffer {
  let mutated = Buffer.from(bytes);
  for (let changes = random.integer(1, 4); changes > 0; changes -= 1) {
    const at = random.integer(0, mutated.length);
    const [head, tail] = [mutated.subarray(0, at), mutated.subarray(at)];
    const kind = random.integer(0, 3);
    if (kind === 0) mutated = Buffer.from(head);
    else if (kind === 1) mutated = Buffer.concat([head, randomBytes(random, random.integer(1, 16)), tail]);
    else if (kind === 2) mutated = Buffer.concat([head, tail.subarray(0, 8), tail]);
    else if (at < mutated.length) mutated[at] = random.integer(0, 255);
  }
  return mutated;
}

export function randomBytes(random: Random, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => random.integer(0, 255)));
}
