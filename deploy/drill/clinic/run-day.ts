import { setTimeout as pause } from 'node:timers/promises';
import { OnSoldOut } from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
import { localTokens } from '#libs/mesh/local-issuer.js';
import { importSkus } from '../../local/import-skus.js';
import type { Scale } from '../../local/topology.js';
import { HttpPool } from '../../rush/http-pool.js';
import { LedgerReader } from '../../rush/ledger-reader.js';
import { atRest } from '../backlog.js';
import { ledgerFailures, leftOver } from '../findings.js';
import type { StoryLine } from '../log-story.js';
import { type Stage, withStage } from '../stage.js';
import { rewriteFunction } from '../unsafe.js';
import { DayClock } from './day-clock.js';
import { readDay } from './day-facts.js';
import { type Day, type DayPlan, dayOf, PRICE_MINOR, STORE } from './day-plan.js';
import { type DayRow, dayRow, holdSeconds } from './day-row.js';
import { type Incident, incidentsOf } from './incidents.js';
import { Offers } from './offers.js';
import { PatientLife, type PatientStory } from './patient-life.js';

export interface DayOptions {
  plan: DayPlan;
  /** Serves the last who came first: the checker has to see it. */
  control?: boolean;
  /** Processes of each service; one where nothing is said. */
  scale?: Scale;
  /** Hears what is being done, in words. */
  report(line: string): void;
}

/** Everything that is known of a day when it is over. */
export interface DayResult {
  plan: DayPlan;
  row: DayRow;
  incidents: Incident[];
  /** When it was 08:00, in milliseconds since the epoch. */
  startsAt: number;
  /** What the services warned of, and what the drill did. */
  story: StoryLine[];
}

/** What is taken away from the twin. */
export const WITHOUT = 'the order of arrival: whoever came last is served first';

const MAX_SOCKETS = 1_000;
/** Until skus are on sale and the first patient comes. */
const OPENS_IN_MS = 2_000;
/** After the last slot began: what is held may still be paid, and those who waited are told that it is over. */
const LAST_WORD = 60;
const REST_PATIENCE_MS = 45_000;
const LOOK_EVERY_MS = 250;
/** Nobody shall meet it: what is tried is the waitlist, not the line before it. */
const NO_LIMIT = { perSecond: 1_000_000, burst: 1_000_000 };

/** Runs one day on a mesh of its own. Rejects when it cannot be run to its end. */
export function runDay({ plan, control = false, scale = {}, report }: DayOptions): Promise<DayResult> {
  const beganAt = Date.now();
  const day = dayOf(plan);
  return withStage({ sandbox: true, scale, report }, async (stage) => {
    if (control) await serveTheLastFirst(stage);
    const clock = new DayClock(Date.now() + OPENS_IN_MS, plan.minuteMs);
    await putOnSale(stage, day, { plan, clock });
    report(
      `${day.patients.length} people want one of ${day.slots.length} slots, holds last ${plan.holdMinutes} minutes`,
    );
    const incidents = incidentsOf(plan, day);
    const stories = await live(stage, day, { clock, plan, incidents, report });
    report('waiting until everything is at rest');
    const unsettled = await settled(stage, stories);
    const left = await atRest(stage, REST_PATIENCE_MS);
    const ledger = new LedgerReader(stage.servers.postgres.url);
    const skuIds = day.slots.map(({ skuId }) => skuId);
    const row = dayRow({
      ...{ plan, control, day, stories, undecided: left?.journal.length ?? 0, durationMs: Date.now() - beganAt },
      ledger: await ledger.facts(skuIds, await ledger.clockAheadMs()),
      facts: await readDay(stage, day),
      failures: [
        ...[...leftOver(left), ...unsettled, ...(await ledgerFailures(stage))],
        ...stage.died().map((name) => `${name} died, and nobody ended it`),
      ],
    });
    const story = stage.story.between(clock.startsAt, Date.now());
    return { plan, row, incidents, startsAt: clock.startsAt, story };
  });
}

async function serveTheLastFirst(stage: Stage): Promise<void> {
  const arrival = 'ORDER BY e.place LIMIT budget';
  await rewriteFunction(stage, 'waiters_promote', arrival, 'ORDER BY e.place DESC LIMIT budget');
}

async function putOnSale(
  stage: Stage,
  { slots }: Day,
  { plan, clock }: { plan: DayPlan; clock: DayClock },
): Promise<void> {
  const inventories = stage.processes('inventory').map(({ grpc }) => grpc);
  const wishes = slots.map(({ skuId, capacity, startsAt }) => ({
    ...{ skuId, storeId: STORE, title: `Appointment at ${clock.text(startsAt)}`, capacity, perUserLimit: 1 },
    ...{ startsAt: clock.at(startsAt), timeZone: 'Europe/Berlin', priceMinor: PRICE_MINOR, rateLimit: NO_LIMIT },
    ...{ holdTtlSeconds: holdSeconds(plan), onSoldOut: OnSoldOut.ON_SOLD_OUT_JOIN_WAITLIST },
  }));
  await importSkus(inventories.join(','), wishes);
}

interface Living {
  clock: DayClock;
  plan: DayPlan;
  incidents: readonly Incident[];
  report(line: string): void;
}

/** Everybody's day, and what happens meanwhile. */
async function live(stage: Stage, { patients }: Day, living: Living): Promise<PatientStory[]> {
  const { clock, plan, incidents, report } = living;
  const { http, identity } = stage.mesh.describe();
  const pool = new HttpPool(http, MAX_SOCKETS);
  const edge = { pool, tokenOf: localTokens(identity) };
  const offers = await Offers.open(stage.streams);
  const endsAt = plan.lastSlot + LAST_WORD;
  try {
    const lives = patients.map((patient) => new PatientLife(patient, { edge, offers, clock, endsAt }).run());
    const happening = incidents.map(async ({ at, what, act }) => {
      await clock.until(at);
      report(`${clock.text(at)}: ${what}`);
      stage.story.note(what);
      await act(stage);
    });
    await Promise.all([...lives, ...happening]);
    return await Promise.all(lives);
  } finally {
    clock.end();
    offers.close();
    pool.close();
  }
}

const OPEN = `
  SELECT (SELECT count(*)::int FROM ledger.orders WHERE state = 'HELD') AS holds,
    (SELECT count(*)::int FROM ledger.waitlist_entries WHERE state IN ('WAITING', 'OFFERED')) AS entries,
    (SELECT count(*)::int FROM ledger.payments WHERE state = 'REFUND_DUE') AS refunds,
    (SELECT count(*)::int FROM ledger.payments WHERE state <> 'FAILED') AS payments`;

/** Waits until holds, waits and refunds have ended, and all money is told of; a sentence for each that does not. */
async function settled({ sql }: Stage, stories: readonly PatientStory[]): Promise<string[]> {
  const captured = stories.reduce((sum, { captures }) => sum + captures.length, 0);
  const giveUpAt = Date.now() + REST_PATIENCE_MS;
  for (;;) {
    const [open] = await sql<{ holds: number; entries: number; refunds: number; payments: number }>(OPEN);
    const { holds = 0, entries = 0, refunds = 0, payments = 0 } = open ?? {};
    const untold = Math.max(0, captured - payments);
    const waits: [number, string][] = [
      ...([[holds, 'holds do not end'] as const, [entries, 'people are left waiting']] as [number, string][]),
      ...([[refunds, 'refunds are not made'] as const, [untold, 'payments are not recorded']] as [number, string][]),
    ];
    const left = waits.filter(([count]) => count > 0).map(([count, words]) => `${count} ${words}`);
    if (left.length === 0 || Date.now() >= giveUpAt) return left;
    await pause(LOOK_EVERY_MS);
  }
}
