/** A rule of the design that the model can do without. */
export interface Planted {
  readonly name: string;
  /** What is done otherwise. */
  readonly what: string;
  /** The laws one of which it breaks; none when it costs only time. */
  readonly breaks: readonly string[];
  /** A seed that showed it: where the short form begins to look. Absent: it is too rare for the short form. */
  readonly seenAt?: number;
}

/** Bugs. The simulation must find every one of them. */
export const bugs = [
  {
    name: 'hasty-no',
    what: 'a no is told without a row although it may not be the first try',
    breaks: ['L6'],
    seenAt: 35,
  },
  { name: 'unrecorded-no', what: 'a no of admission leaves no row', breaks: ['L6'], seenAt: 10 },
  {
    name: 'direct-unrecorded',
    what: 'a no leaves no row when the stream did not take the claim',
    breaks: ['L6'],
  },
  {
    name: 'oldest-not-asked',
    what: 'a no does not ask how old the oldest claim in the stream is',
    breaks: ['L6'],
  },
  {
    name: 'since-not-asked',
    what: 'a mark that is not there proves a first try, however new Redis is',
    breaks: ['L6'],
  },
  {
    name: 'unmarked-not-noted',
    what: 'the ledger is not told of tries that no mark knows of',
    breaks: ['L6'],
  },
  {
    name: 'no-told-unstored',
    what: 'a no without a row is told although its mark did not take it',
    breaks: ['L6'],
    seenAt: 63,
  },
  {
    name: 'stored-no-unheard',
    what: 'a no without a row is placed again when the reply to storing it was lost',
    breaks: ['L6'],
    seenAt: 4298,
  },
  { name: 'not-after-ignored', what: 'a claim has an effect however late it comes', breaks: ['L6'] },
  {
    name: 'gate-is-truth',
    what: 'whoever is short at the gate is told no, the ledger is not asked',
    breaks: ['L6'],
    seenAt: 1,
  },
  {
    name: 'yes-before-commit',
    what: 'a yes is told when admission is sent, not when it is committed',
    breaks: ['L5'],
    seenAt: 1,
  },
  { name: 'promise-dropped', what: 'the sweep drops promised claims like others', breaks: ['L5'] },
  { name: 'no-key', what: 'a claim whose order is known is admitted again', breaks: ['L1', 'L3', 'L4'], seenAt: 1 },
  { name: 'fresh-order-id', what: 'a claim that goes round the gate gets a new order id', breaks: ['L4'], seenAt: 1 },
  {
    name: 'read-then-write',
    what: 'direct admission reads what is free in one step and takes it in another',
    breaks: ['L1', 'L2'],
    seenAt: 53,
  },
  {
    name: 'release-unchecked',
    what: 'a cancellation gives units back by what it read before',
    breaks: ['L1', 'L3'],
    seenAt: 3,
  },
  {
    name: 'timeout-is-a-no',
    what: 'an admission without a reply counts as failed, and its units are given back',
    breaks: ['L1', 'L3'],
    seenAt: 1,
  },
  {
    name: 'expiry-by-own-clock',
    what: 'holds expire by the clock of the process that sweeps them',
    breaks: ['L9'],
    seenAt: 1,
  },
  { name: 'late-money-kept', what: 'a payment for an order that ended is dropped', breaks: ['L8'], seenAt: 3 },
  { name: 'payment-twice', what: 'a payment that is sent again is another payment', breaks: ['L8'], seenAt: 7 },
] as const satisfies readonly Planted[];

/** What the laws rest on and no rule of ours can hold: without it a law must be found broken. */
export const assumptions = [
  {
    name: 'slow-wire',
    what: 'a claim may be on the way from gateway to inventory for longer than a second',
    breaks: ['L6'],
  },
  { name: 'stream-clock-off', what: "the stream's clock is 20 s behind the ledger's", breaks: ['L6'] },
  { name: 'marks-evicted', what: 'Redis loses single marks and keeps all else', breaks: ['L6'] },
] as const satisfies readonly Planted[];

/** Sloppiness that costs time and never a law. */
export const sloppiness = [
  {
    name: 'eager-sweep',
    what: 'the sweep drops every claim that is not promised, however young',
    breaks: [],
  },
  {
    name: 'forget-undecided',
    what: 'a sync sets let-in to what is free, whatever is undecided',
    breaks: [],
  },
  { name: 'never-settled', what: 'a decided claim leaves the journal by the sweep alone', breaks: [] },
  {
    name: 'old-word-taken',
    what: 'a sync takes a word of the ledger that is older than the last one',
    breaks: [],
  },
  { name: 'gate-lies', what: 'the gate lets in two more than it says', breaks: [] },
  { name: 'gate-drops', what: 'the gate forgets every other claim at once', breaks: [] },
  { name: 'deaf', what: 'decisions are never heard, only read', breaks: [] },
  { name: 'all-twice', what: 'every message comes twice', breaks: [] },
  { name: 'nobody-first', what: 'no try counts as the first', breaks: [] },
] as const satisfies readonly Planted[];

export type Rule = (typeof bugs | typeof assumptions | typeof sloppiness)[number]['name'];

const all: readonly Planted[] = [...bugs, ...assumptions, ...sloppiness];

export function isRule(name: string): name is Rule {
  return all.some((planted) => planted.name === name);
}
