import type { LedgerFacts } from '../../rush/ledger-facts.js';
import { slot } from '../../rush/scenario.js';
import { judge } from '../../rush/verdict.js';
import type { DayFacts } from './day-facts.js';
import { type Day, type DayPlan, STORE } from './day-plan.js';
import { type HoldFigures, holdFigures } from './hold-figures.js';
import { overtaken } from './overtaken.js';
import type { PatientStory } from './patient-life.js';
import { unaccountedPayments } from './unaccounted-payments.js';

/** What a day came to with one hold time: a line of `--json`. */
export interface DayRow extends HoldFigures {
  drill: string;
  control: boolean;
  failed: boolean;
  completed: boolean;
  people: number;
  /** By the first answer that stood. */
  held_at_once: number;
  waitlisted: number;
  refused: number;
  errors: number;
  /** How often each change was asked for and how it was answered. */
  changes: Record<string, number>;
  /** Captured payments by state, and by what was the matter with them. */
  payments: Record<string, number>;
  oversold: number;
  lost: number;
  duplicates: number;
  undecided: number;
  false_refusals: number;
  /** People who waited, and somebody who had no right to it was served before them. */
  overtaken: number;
  /** Captured payments that are not in exactly one listed state with all of their money. */
  unaccounted_payments: number;
  conserved: boolean;
  duration_s: number;
  /** A sentence for each law that was broken. */
  failures: string[];
}

/** The last line of `--json`. */
export type DayTotals = Pick<DayRow, 'oversold' | 'lost' | 'overtaken' | 'unaccounted_payments' | 'conserved'>;

export interface DayEvidence {
  plan: DayPlan;
  control: boolean;
  day: Day;
  stories: readonly PatientStory[];
  ledger: LedgerFacts;
  facts: DayFacts;
  /** Claims that are left in the journal. */
  undecided: number;
  /** What else was found. */
  failures: readonly string[];
  durationMs: number;
}

const MOST_SENTENCES = 10;
/** 409: a no with its reason. 404: a place in the waitlist that is none any more. */
const ANSWERED = /^\w+ (200|404|409)/;

/** Judges a day by what people were told, what the provider took, and what the ledger holds. Pure. */
export function dayRow(evidence: DayEvidence): DayRow {
  const { plan, day, stories, ledger, facts } = evidence;
  const outcomes = stories.map(({ outcome }) => outcome);
  const skus = day.slots.map(({ skuId, capacity }) => {
    return slot({ skuId, storeId: STORE, capacity, holdTtlSeconds: holdSeconds(plan) });
  });
  const scenario = { name: 'clinic-day', about: '', skus, people: [] };
  const entryIds = new Set(facts.entries.map(({ entryId }) => entryId));
  // Decided in the end: a promise may end in a place of the waitlist.
  const decided = outcomes.map((one) => ({ ...one, pendingIds: one.pendingIds.filter((id) => !entryIds.has(id)) }));
  const { counts, failures } = judge({ scenario, outcomes: decided, ledger, undecided: evidence.undecided });
  const lostEntries = stories.flatMap((story) => story.entryIds.filter((id) => !entryIds.has(id)));
  const passed = overtaken(facts.entries, facts.takings);
  const unaccounted = unaccountedPayments(
    stories.flatMap(({ captures }) => captures),
    facts.payments,
  );
  const all = [
    ...failures,
    ...(lostEntries.length > 0 ? [`${lostEntries.length} places in the waitlist that were told have no row`] : []),
    ...[...passed, ...unaccounted].slice(0, MOST_SENTENCES),
    ...strange(stories, facts),
    ...evidence.failures,
  ];
  return {
    ...{ drill: 'clinic-day', control: evidence.control, failed: all.length > 0, completed: true },
    ...holdFigures(plan, facts),
    people: stories.length,
    held_at_once: told(stories, 'HELD'),
    waitlisted: told(stories, 'WAITLISTED'),
    refused: told(stories, 'REFUSED'),
    errors: counts.errors + counts.pending,
    changes: tally(stories.flatMap(({ changes }) => changes)),
    payments: tally(facts.payments.map(({ state, issue }) => (issue === null ? state : `${state} ${issue}`))),
    ...{ oversold: counts.oversold, lost: counts.lost + lostEntries.length, duplicates: counts.duplicates },
    ...{ undecided: counts.undecided, false_refusals: counts.false_refusals },
    ...{ overtaken: passed.length, unaccounted_payments: unaccounted.length, conserved: counts.conserved },
    duration_s: Math.round(evidence.durationMs / 100) / 10,
    failures: all,
  };
}

export function holdSeconds({ holdMinutes, minuteMs }: DayPlan): number {
  return (holdMinutes * minuteMs) / 1_000;
}

export function dayTotals(rows: readonly DayRow[]): DayTotals {
  const sum = (amount: (row: DayRow) => number): number => rows.reduce((total, row) => total + amount(row), 0);
  return {
    oversold: sum((row) => row.oversold),
    lost: sum((row) => row.lost),
    overtaken: sum((row) => row.overtaken),
    unaccounted_payments: sum((row) => row.unaccounted_payments),
    conserved: rows.every((row) => row.completed && row.conserved),
  };
}

/** A sentence for each thing that may not happen to anybody on such a day. */
function strange(stories: readonly PatientStory[], { entries }: DayFacts): string[] {
  const untold = stories.filter(({ neverTold }) => neverTold).length;
  const twoPlaces = stories.filter(({ entryIds }) => entryIds.length > 1).length;
  const stateOf = new Map(entries.map(({ entryId, state }) => [entryId, state]));
  const refused = stories.flatMap(({ entryIds: [id = ''], outcome: { userId, refusal } }) => {
    return id !== '' && refusal ? [`${userId} ${refusal.reason}, the place is ${stateOf.get(id)}`] : [];
  });
  const barred = entries.filter(({ barred: why }) => why !== null).length;
  const unanswered = stories.flatMap(({ changes }) => changes).filter((change) => !ANSWERED.test(change));
  const checks: [boolean, string][] = [
    [untold > 0, `${untold} people waited, and nobody told them how it ended`],
    [twoPlaces > 0, `${twoPlaces} people had two places in a waitlist for one key`],
    [refused.length > 0, `people had a place in a waitlist, and the same key was refused: ${some(refused)}`],
    [barred > 0, `${barred} people were barred, who want one thing only`],
    [unanswered.length > 0, `changes were answered neither yes nor no: ${some(unanswered)}`],
  ];
  return checks.filter(([broken]) => broken).map(([, sentence]) => sentence);
}

function some(words: readonly string[]): string {
  return words.slice(0, MOST_SENTENCES).join('; ');
}

function told(stories: readonly PatientStory[], answer: string): number {
  return stories.filter(({ firstAnswer }) => firstAnswer === answer).length;
}

function tally(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of [...words].sort()) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}
