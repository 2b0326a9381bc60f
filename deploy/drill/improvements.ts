import type { Drained } from './backlog.js';
import { reasonsToSendAgain } from './measures.js';
import type { Attainment, ObjectiveName } from './objectives.js';
import type { DrillResult } from './run-drill.js';

type Facts = Omit<DrillResult, 'drill'>;

/** A p99 that grew to so many times what it was before is worth a word. */
const MUCH_SLOWER = 5;
/** Beyond this share of its limit an objective is nearly missed. */
const SCARCELY = 0.7;
/** What was logged so long before the first HELD may be what it waited for. */
const CAUSE_WITHIN_MS = 400;
const MOST_REASONS = 3;

const PART_NAMES: Record<keyof Drained, string> = {
  journal: 'the journal of the gate',
  stream: 'the stream of claims',
  outbox: 'the outbox',
};

/** What the figures of a drill say should be better, a sentence each; at least one. Pure. */
export function improvements(facts: Facts): string[] {
  const { attainments, row } = facts;
  const missed = attainments.filter(({ met }) => !met);
  const words = [
    ...row.failures.filter((failure) => !missed.some(({ name }) => failure.startsWith(name))).map(brokenLaw),
    ...missed.map((one) => EXPLAIN[one.name]?.(facts, one) ?? `${one.name} is ${one.measured}, not ${one.limit}.`),
    ...sentAgain(facts),
    ...slower(facts),
    ...noise(facts),
    ...scarce(attainments),
  ];
  return words.length > 0 ? words : [roomiest(attainments)];
}

const EXPLAIN: Partial<Record<ObjectiveName, (facts: Facts, one: Attainment) => string>> = {
  first_held_after_fault_ms: (facts, one) => firstHeld(facts, one, facts.times.faultAt),
  first_held_after_heal_ms: (facts, one) => firstHeld(facts, one, facts.times.healedAt),
  backlog_zero_after_heal_ms: ({ drained }, { limit }) => {
    const stuck = parts(drained).filter(([, ms]) => ms === null);
    if (stuck.length > 0)
      return `${stuck.map(([part]) => part).join(' and ')} never emptied: find who should have done it.`;
    const [slowest, ms] = parts(drained).sort(([, a], [, b]) => Number(b) - Number(a))[0] ?? ['nothing', 0];
    return `${slowest} was the last to be empty, ${ms} ms after healing; the objective is ${limit}.`;
  },
  longest_pool_wait_ms: ({ poolWaits }, { limit }) => {
    const [process, ms] = poolWaits[0] ?? ['nobody', 0];
    return `${process} waited up to ${ms} ms for a connection to Postgres, not ${limit}: bound what it sends there, or give it more.`;
  },
  errors_a_user_may_see: ({ row }, { limit }) =>
    `${row.errors} requests never got an answer, whatever their clients did; ${limit} may: see what they met below.`,
};

/** Names what was logged last before the first HELD: that is what it waited for. */
function firstHeld({ story, sights }: Facts, { name, measured, limit }: Attainment, since: number): string {
  if (measured === null) return `${name}: nobody was told yes any more.`;
  const heldAt = since + measured;
  const trouble = story
    .filter(({ processes, firstAt }) => !processes.includes('drill') && firstAt >= since && firstAt <= heldAt)
    .at(-1);
  const waited = `It took ${measured} ms until somebody was told yes, not ${limit}.`;
  if (!trouble) return `${waited} Nothing was logged meanwhile: log what is waited for.`;
  const { text, processes, firstAt } = trouble;
  const tries = sights.filter(({ sentAt, at }) => sentAt >= since && at < heldAt).length;
  const closeness = heldAt - firstAt <= CAUSE_WITHIN_MS ? 'just before' : 'long before';
  return `${waited} The last word ${closeness}, after ${firstAt - since} ms, was "${text}" by ${processes.join(', ')}; ${tries} requests had ended without a yes by then.`;
}

function brokenLaw(failure: string): string {
  return `A law is broken: ${failure}.`;
}

function sentAgain({ sights, times, row }: Facts): string[] {
  if (row.sent_again === 0) return [];
  const reasons = reasonsToSendAgain(sights, times.faultAt).slice(0, MOST_REASONS);
  const told = reasons.map(([why, count]) => `${why} ${count}`).join(', ');
  return [`${row.sent_again} answers only told clients to come again (${told}): each costs its client a round trip.`];
}

function slower({ row }: Facts): string[] {
  const before = Math.max(1, row.p99_before_ms);
  return (['fault', 'after'] as const).flatMap((phase) => {
    const now = row[`p99_${phase}_ms`];
    if (now < MUCH_SLOWER * before) return [];
    const when = phase === 'fault' ? 'under the fault' : 'once it was healed';
    return [`A yes took ${now} ms (p99) ${when}, ${before} before: ${Math.round(now / before)} times as long.`];
  });
}

/** A log that says the same over and over hides what is new in it. */
function noise({ story }: Facts): string[] {
  const [loudest] = [...story].filter(({ level }) => level !== 'info').sort((a, b) => b.times - a.times);
  if (!loudest || loudest.times < 50) return [];
  return [`"${loudest.text}" was logged ${loudest.times} times: say it once, and once that it is over.`];
}

function scarce(attainments: readonly Attainment[]): string[] {
  return attainments.flatMap(({ name, limit, measured, met }) =>
    met && limit > 0 && measured !== null && measured > SCARCELY * limit
      ? [`${name} is met scarcely: ${measured} of ${limit}.`]
      : [],
  );
}

function roomiest(attainments: readonly Attainment[]): string {
  const timed = attainments.flatMap(({ name, limit, measured }) =>
    limit > 0 && measured !== null ? [{ name, share: measured / limit, measured, limit }] : [],
  );
  const [closest] = timed.sort((a, b) => b.share - a.share);
  if (!closest) return 'Nothing was measured against an objective.';
  const { name, measured, limit, share } = closest;
  return `Nothing stands out. Closest to its limit is ${name}: ${measured} of ${limit} (${Math.round(100 * share)} %); it could be tightened.`;
}

function parts(drained: Drained): [part: string, ms: number | null][] {
  return (Object.keys(PART_NAMES) as (keyof Drained)[]).map((part) => [PART_NAMES[part], drained[part]]);
}
