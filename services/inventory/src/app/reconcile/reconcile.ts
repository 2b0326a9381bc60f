import type { Finding, Plan, PlanToApply } from '#libs/ledger/reconcile-plans.js';
import { Fault } from '#libs/refusal/fault.js';
import type { Logger } from '#libs/runtime/logger.js';
import { alertsOf } from '../../domain/findings.js';
import { MOST_KEPT } from './found.js';
import { GatesLook } from './look-at-gates.js';
import { confirmRows, lookAtRows, type RowsRun, type Scope } from './look-at-rows.js';
import { lookAtShards, lookAtStreams } from './look-at-streams.js';
import { moment } from './pace.js';
import type { GateParts, ReconcileLedger, StreamFigures } from './ports.js';

/** The lock that one process of all holds while it looks. */
export interface OnlyOne {
  tryHold(): Promise<boolean>;
  release(): Promise<void>;
}

export interface ReconcileOptions {
  readonly ledger: ReconcileLedger;
  readonly lock: OnlyOne;
  /** Absent without Redis. */
  readonly gates?: GateParts | undefined;
  /** Absent without NATS. */
  readonly streams?: StreamFigures | undefined;
  readonly shards: number;
  readonly ledgerNow: () => Date;
  /** Counts what was found. */
  readonly count: (finding: Finding) => void;
  readonly logger: Logger;
  /** Between two looks at the same (2 s). */
  readonly momentMs?: number;
}

/** Who wants a look, and at what. */
export interface LookAsked {
  readonly scope: Scope;
  readonly requestId: string;
  /** An operator, or `scheduler`. */
  readonly madeBy: string;
}

/**
 * Looks at whether everything fits together, one process at a time.
 *
 * A look holds a lock that the database gives to one, and has a number that the ledger gives out: whatever it writes is
 * refused once a newer look has begun, so that a process which lost the lock without noticing changes nothing. It goes
 * through the rows in short snapshots, rests in between, looks a second time at whatever seemed wrong, and keeps a plan.
 */
export class Reconcile {
  readonly #options: ReconcileOptions;
  #running: { requestId: string; plan: Promise<Plan> } | undefined;

  constructor(options: ReconcileOptions) {
    this.#options = options;
  }

  /**
   * One look. The same request again gets the plan that it made, or waits for it.
   *
   * Errors: Fault RECONCILE_UNDER_WAY while another look is, here or in another process; SKU_NOT_FOUND; what the signal
   * was aborted with: nothing is kept then; UNAVAILABLE.
   */
  async plan(asked: LookAsked, signal: AbortSignal): Promise<Plan> {
    const known = await this.#options.ledger.planOfRequest(asked.requestId);
    if (known) return known;
    if (this.#running && this.#running.requestId !== asked.requestId) throw underWay();
    this.#running ??= { requestId: asked.requestId, plan: this.#alone(asked, signal) };
    return this.#running.plan;
  }

  /** Applies a plan, and lets the gates know what it changed. Errors as planApply. */
  async apply(asked: PlanToApply): Promise<Plan> {
    const plan = await this.#options.ledger.planApply(asked);
    const skuIds = new Set((plan.findings ?? []).flatMap(({ skuId }) => skuId ?? []));
    // The sync of used skus does it otherwise.
    await this.#options.gates?.syncGates.syncSkus([...skuIds]).catch(() => undefined);
    return plan;
  }

  async #alone(asked: LookAsked, signal: AbortSignal): Promise<Plan> {
    const { lock } = this.#options;
    try {
      if (!(await this.#holds())) throw underWay();
      return await this.#look(asked, signal);
    } finally {
      this.#running = undefined;
      await lock.release();
    }
  }

  #holds(): Promise<boolean> {
    return this.#options.lock.tryHold().catch((cause: unknown) => {
      throw new Fault('UNAVAILABLE', 'the ledger did not say who may look', { cause });
    });
  }

  async #look({ scope, requestId, madeBy }: LookAsked, signal: AbortSignal): Promise<Plan> {
    const { ledger, momentMs = 2_000, logger } = this.#options;
    const fence = await ledger.reconcileBegin();
    const beside = this.#besides(signal);
    const run: RowsRun = {
      ledger,
      scope,
      signal,
      onSkus: async (skuIds, clean) => {
        if (!(await this.#holds())) throw underWay();
        await ledger.reconcileNote(fence, clean);
        await beside(async (gates) => gates.look(skuIds));
      },
    };
    const seen = await lookAtRows(run);
    if (seen.found.kept.length > 0) {
      await moment(momentMs, signal);
      await confirmRows(run, seen);
    }
    const gates = await beside((look) => look.confirm());
    const others = scope === 'ALL' ? await this.#others() : [];
    const found = seen.found;
    found.add([...(gates?.findings ?? []), ...others]);

    const findings = found.kept;
    for (const finding of findings) this.#options.count(finding);
    const mended = findings.filter((finding) => finding.mended).length;
    const counts = { skus: seen.skus, orders: seen.orders, found: found.count, mended };
    if (found.count > mended) logger.warn({ ...counts, scope }, 'not everything fits together');
    const isAll = scope === 'ALL' && found.count <= MOST_KEPT;
    const kept = { requestId, madeBy, ...counts, findings, alerts: alertsOf(findings), isAll };
    if (scope === 'ENDED' && seen.skus === 0) return nothingEnded(madeBy, this.#options.ledgerNow());
    const planId = await ledger.reconcileFinish(fence, kept);
    await ledger.reconcileNote(fence, seen.suspects);
    return ledger.planGet(planId);
  }

  /** Looks at what is beside the ledger as long as it answers: a look at rows does not fail with Redis. */
  #besides(signal: AbortSignal): (act: (gates: GatesLook) => Promise<void>) => Promise<GatesLook | undefined> {
    const { gates, ledger, momentMs = 2_000, logger } = this.#options;
    let look = gates && new GatesLook({ ...gates, ledger, momentMs, signal });
    const seen = look;
    return async (act) => {
      if (!look) return seen;
      await act(look).catch((error: unknown) => {
        signal.throwIfAborted();
        look = undefined;
        logger.warn({ err: error }, 'gates were not looked at');
      });
      return seen;
    };
  }

  async #others(): Promise<Finding[]> {
    const { ledger, gates, streams, shards, ledgerNow, logger } = this.#options;
    const unless = (what: string) => (error: unknown) => {
      logger.warn({ err: error }, `${what} were not looked at`);
      return [];
    };
    const ofShards = gates ? await lookAtShards(gates, ledger).catch(unless('journals')) : [];
    const ofStreams = await lookAtStreams({ ledger, ledgerNow, shards, streams }).catch(unless('streams'));
    return [...ofShards, ...ofStreams];
  }
}

/** Once a minute there is usually nothing to look at: that leaves no row. */
function nothingEnded(madeBy: string, madeAt: Date): Plan {
  return { planId: 0, state: 'CLEAN', madeAt, madeBy, skus: 0, orders: 0, found: 0, mended: 0, findings: [] };
}

function underWay(): Fault {
  return new Fault('RECONCILE_UNDER_WAY', 'another look is under way');
}
