import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { inventoryOf } from '#libs/mesh/inventory-of.js';
import { localTokens } from '#libs/mesh/local-issuer.js';
import type { MeshFile } from '#libs/mesh/mesh-file.js';
import { type CrowdOptions, runCrowd, type Tally } from './crowd.js';
import { gatewayDoors } from './gateway-door.js';
import { httpDoors } from './http-door.js';
import { LagWatch } from './lag-watch.js';
import { LedgerReader } from './ledger-reader.js';
import type { Outcome } from './outcome.js';
import { showProgress } from './progress.js';
import { increase, scrape } from './readings.js';
import { type RushReport, reportOf } from './rush-report.js';
import { prefixed, type Scenario } from './scenario.js';
import { limitOf, type RushLimits, StockRoom } from './stock-room.js';
import { type Evidence, judge, type Verdict } from './verdict.js';

/** From here to the start of the run: enough to put the skus on sale before their opening. */
const LEAD_MS = 3_000;
const SHORT_LEAD_MS = 100;
/** What is promised is decided within so long after the end. */
const SETTLE_MS = 5_000;
const SETTLE_EVERY_MS = 200;
/** The judge itself gives up when ledger or inventory cannot be asked for so long. */
const GIVE_UP_MS = 30_000;

export const THROUGH = ['bff', 'gateway'] as const;
export type Through = (typeof THROUGH)[number];

export interface RushOptions {
  mesh: MeshFile;
  scenario: Scenario;
  /** What holds for each sku of the scenario; OFF by default. */
  limits?: RushLimits;
  /** Where the crowd goes in: the HTTP edge by default. */
  through?: Through;
  /** Where the progress bar is drawn, when it is a terminal. */
  terminal: NodeJS.WriteStream;
}

export interface RushResult {
  report: RushReport;
  verdict: Verdict;
  outcomes: Outcome[];
}

/** Puts the scenario's skus on sale in a running mesh, sends the crowd in, and judges what became of it. */
export async function runRush(options: RushOptions): Promise<RushResult> {
  const { mesh, limits = 'OFF', through = 'bff' } = options;
  const scenario = prefixed(options.scenario, `r${Date.now().toString(36)}${randomBytes(2).toString('hex')}`);
  const ledger = new LedgerReader(mesh.infra.postgres.url);
  const stockRoom = new StockRoom(inventoryOf(mesh));
  const doors = through === 'bff' ? httpDoors(mesh.http) : gatewayDoors(gatewaysOf(mesh));
  const lag = new LagWatch(mesh.services.order?.map((one) => one.admin) ?? []);
  try {
    const clockAheadMs = await ledger.clockAheadMs();
    // Before the clock starts: signing for a crowd takes its time.
    const tokens = tokensOf(scenario, mesh.identity);
    const opens = scenario.skus.some((sku) => sku.opensAtMs !== undefined);
    const opening = Date.now() + (opens ? LEAD_MS : 0);
    await stockRoom.putOnSale(scenario.skus, opening + clockAheadMs, limits);
    await doors.warmUp(scenario.people.length);

    const admins = Object.values(mesh.services).flatMap((processes) => processes.map((one) => one.admin));
    const before = await scrape(admins);
    const startsAt = Math.max(opening, Date.now() + SHORT_LEAD_MS);
    const outcomes = await watchedCrowd(options, { scenario, doors, startsAt, tokens });
    const endedAt = Date.now();
    const verdict = await settledVerdict(
      { scenario, outcomes, limit: limitOf(limits) },
      ledger,
      stockRoom,
      clockAheadMs,
    );
    const samples = increase(before, await scrape(admins));
    const report = reportOf({
      scenario,
      outcomes,
      verdict,
      samples,
      consumerLagMax: await lag.stop(),
      durationMs: endedAt - startsAt,
    });
    return { report, verdict, outcomes };
  } finally {
    await lag.stop();
    doors.close();
    stockRoom.close();
  }
}

function gatewaysOf({ services }: MeshFile): string {
  return (services.gateway ?? []).map(({ grpc }) => grpc).join(',');
}

function tokensOf({ people }: Scenario, identity: string): Map<string, string> {
  const tokenOf = localTokens(identity);
  return new Map(people.map(({ userId }) => [userId, tokenOf(userId)]));
}

async function watchedCrowd(options: RushOptions, crowd: Omit<CrowdOptions, 'tally'>): Promise<Outcome[]> {
  const { scenario } = crowd;
  const tally: Tally = { people: scenario.people.length, done: 0, held: 0, refused: 0, errors: 0 };
  const hideProgress = showProgress(scenario.name, tally, options.terminal);
  try {
    return await runCrowd({ ...crowd, tally });
  } finally {
    hideProgress();
  }
}

/**
 * Judges as soon as nothing is open any more, at the latest five seconds after the end. The journal is asked only
 * once the ledger has nothing open, because asking sweeps it. Whoever is away at that moment is asked again.
 */
async function settledVerdict(
  run: Pick<Evidence, 'scenario' | 'outcomes' | 'limit'>,
  ledger: LedgerReader,
  stockRoom: StockRoom,
  clockAheadMs: number,
): Promise<Verdict> {
  const skuIds = run.scenario.skus.map((sku) => sku.skuId);
  const endedAt = Date.now();
  for (;;) {
    const late = Date.now() >= endedAt + SETTLE_MS;
    try {
      const facts = await ledger.facts(skuIds, clockAheadMs);
      const open = judge({ ...run, ledger: facts, undecided: 0 }).counts.lost > 0;
      const undecided = open && !late ? 1 : await stockRoom.undecided();
      if (undecided === 0 || late) return judge({ ...run, ledger: facts, undecided });
    } catch (error) {
      if (Date.now() >= endedAt + GIVE_UP_MS) throw error;
    }
    await sleep(SETTLE_EVERY_MS);
  }
}
