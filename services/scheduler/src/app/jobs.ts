import { randomUUID } from 'node:crypto';
import type { AlertServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/alert_service.js';
import type { ReconcileServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/reconcile_service.js';
import type { InventoryServiceDefinition } from '#libs/contracts/gen/holdfast/inventory/v1/inventory_service.js';
import type { AccessServiceDefinition } from '#libs/contracts/gen/holdfast/order/v1/access_service.js';
import type { OrderServiceDefinition } from '#libs/contracts/gen/holdfast/order/v1/order_service.js';
import type { WaitlistServiceDefinition } from '#libs/contracts/gen/holdfast/waitlist/v1/waitlist_service.js';
import { Fault } from '#libs/refusal/fault.js';
import type { Client } from '#libs/rpc/client.js';
import { restUntil } from '../domain/next-run.js';

/** What a run did, and in how many milliseconds the next one is due. */
export interface JobRun {
  readonly result: string;
  readonly nextInMs: number;
}

/** Something that is done again and again. What is done belongs to the service that is called. */
export interface Job {
  readonly name: string;
  readonly description: string;
  /** The run of an instance that died in it is made up for after this. */
  readonly overdueAfterMs: number;
  /** Ends early when `closing` aborts, where it can. */
  run(closing: AbortSignal): Promise<JobRun>;
}

export interface JobPorts {
  readonly order: Pick<
    Client<OrderServiceDefinition>,
    'expireDue' | 'endCancelledSales' | 'applyParkedPayments' | 'endPaymentSessions'
  >;
  readonly waitlist: Pick<Client<WaitlistServiceDefinition>, 'promoteWaiters' | 'endWaitlists'>;
  readonly inventory: Pick<Client<InventoryServiceDefinition>, 'sweep' | 'sync'>;
  readonly access: Pick<Client<AccessServiceDefinition>, 'pruneAccess'>;
  readonly alerts: Pick<Client<AlertServiceDefinition>, 'checkAlerts'>;
  readonly reconcile: Pick<Client<ReconcileServiceDefinition>, 'planReconcile'>;
  /** The ledger's time. */
  readonly now: () => Date;
}

const everySecondMs = 1_000;
const pruneEveryMs = 600_000;
const alertsEveryMs = 5_000;
const waitlistEndEveryMs = 5_000;
const batchSize = 500;
/** While the provider is away. */
const sessionsAgainMs = 10_000;
/** A hold shorter than all others may be born meanwhile, so expiry never rests longer than this. */
const expireRest = { leastMs: 100, mostMs: 1_000 };
/** Gates are set from so long before a sale opens. */
const warmUpSeconds = 60;
const warmUpRest = { leastMs: 1_000, mostMs: 15_000 };

/** Rests of looks at whether everything fits together. Each sku that ended is looked at within two minutes. */
const reconcileEveryMs = 300_000;
const reconcileEndedEveryMs = 60_000;
/** A look at everything rests most of the time, and may take minutes. */
const lookDeadlineMs = 900_000;

export function createJobs(ports: JobPorts): Job[] {
  return [
    ...[...saleJobs(ports), ...moneyJobs(ports), ...waitlistJobs(ports)],
    ...[...gateJobs(ports), ...lookJobs(ports), pruneJob(ports)],
  ];
}

/** What ends orders. */
function saleJobs({ order, now }: JobPorts): Job[] {
  return [
    expireJob(order, now),
    {
      name: 'cancelled-sales',
      description: 'Cancels and refunds the orders of sales that were cancelled',
      overdueAfterMs: 5_000,
      async run(closing) {
        let cancelled = 0;
        let batch: { cancelled: number; more: boolean };
        do {
          batch = await order.endCancelledSales({ batchSize });
          cancelled += batch.cancelled;
        } while (batch.more && !closing.aborted);
        return { result: `${cancelled} cancelled`, nextInMs: everySecondMs };
      },
    },
  ];
}

/** The order services, as far as they end holds. */
interface HoldsEnded {
  expireDue(request: { batchSize: number }): Promise<{ expired: number; nextDueAt?: Date | undefined }>;
}

/** Ends holds that are past their expiry, batch after batch until none is left. */
export function expireJob(order: HoldsEnded, now: JobPorts['now']): Job {
  return {
    name: 'expire',
    description: 'Closes holds that are past their expiry',
    overdueAfterMs: 5_000,
    async run(closing) {
      let expired = 0;
      let batch: Awaited<ReturnType<HoldsEnded['expireDue']>>;
      do {
        batch = await order.expireDue({ batchSize });
        expired += batch.expired;
      } while (batch.expired === batchSize && !closing.aborted);
      return { result: `${expired} expired`, nextInMs: restUntil(batch.nextDueAt, now(), expireRest) };
    },
  };
}

/** What goes on with those who wait. */
function waitlistJobs({ waitlist }: JobPorts): Job[] {
  return [
    {
      name: 'promote',
      description: 'Offers what is kept for those who wait, where one transaction was not enough',
      overdueAfterMs: 5_000,
      async run() {
        const { promoted } = await waitlist.promoteWaiters({});
        return { result: `${promoted} promoted`, nextInMs: everySecondMs };
      },
    },
    {
      name: 'waitlist-end',
      description: 'Ends the wait at sales that are over',
      overdueAfterMs: 10_000,
      async run() {
        const { ended } = await waitlist.endWaitlists({});
        return { result: `${ended} ended`, nextInMs: waitlistEndEveryMs };
      },
    },
  ];
}

/** What keeps gates near the ledger, and what watches both. */
function gateJobs({ inventory, alerts, now }: JobPorts): Job[] {
  return [
    {
      name: 'sweep',
      description: 'Settles, admits or drops the claims that are left in the journal',
      overdueAfterMs: 5_000,
      async run() {
        const { settled, admitted, dropped, remaining } = await inventory.sweep({});
        const result = `${settled} settled, ${admitted} admitted, ${dropped} dropped, ${remaining} remain`;
        return { result, nextInMs: everySecondMs };
      },
    },
    {
      name: 'sync',
      description: 'Sets the gates of skus in use from the ledger',
      overdueAfterMs: 5_000,
      async run() {
        const { synced } = await inventory.sync({ skuIds: [], openingWithinSeconds: 0 });
        return { result: `${synced} synced`, nextInMs: everySecondMs };
      },
    },
    {
      name: 'warm-up',
      description: 'Sets the gates of skus whose sale opens within a minute',
      overdueAfterMs: 15_000,
      async run() {
        const request = { skuIds: [], openingWithinSeconds: warmUpSeconds };
        const { synced, nextOpeningAt } = await inventory.sync(request);
        const dueAt = nextOpeningAt && new Date(nextOpeningAt.getTime() - warmUpSeconds * 1_000);
        return { result: `${synced} synced`, nextInMs: restUntil(dueAt, now(), warmUpRest) };
      },
    },
    {
      name: 'alerts',
      description: 'Raises alerts for what is late, stuck or left over, and clears those whose cause is gone',
      overdueAfterMs: 10_000,
      async run() {
        const { raised, cleared, open } = await alerts.checkAlerts({});
        const left = Object.values(open).reduce((sum, count) => sum + count, 0);
        return { result: `${raised} raised, ${cleared} cleared, ${left} open`, nextInMs: alertsEveryMs };
      },
    },
  ];
}

/** What money needs that came before its order, or that may come after it. */
function moneyJobs({ order }: JobPorts): Job[] {
  return [
    {
      name: 'payments-parked',
      description: 'Gives payments that came before their order to it, or back after 15 minutes',
      overdueAfterMs: 5_000,
      async run() {
        const { confirmed, refunded, hasMore } = await order.applyParkedPayments({ batchSize: 0 });
        return { result: `${confirmed} confirmed, ${refunded} refunded`, nextInMs: hasMore ? 0 : everySecondMs };
      },
    },
    {
      name: 'payment-sessions',
      description: 'Tells the provider to take no more money for orders that ended',
      overdueAfterMs: 15_000,
      async run() {
        const { ended, failed } = await order.endPaymentSessions({ batchSize: 0 });
        const nextInMs = failed > 0 ? sessionsAgainMs : everySecondMs;
        return { result: `${ended} ended, ${failed} failed`, nextInMs };
      },
    },
  ];
}

/** Lets go what was answered to people long ago. */
function pruneJob({ access }: JobPorts): Job {
  return {
    name: 'prune-access',
    description: 'Deletes records of answers that are older than they are kept',
    overdueAfterMs: 60_000,
    async run() {
      const { pruned, hasMore } = await access.pruneAccess({ batchSize: 0 });
      return { result: `${pruned} pruned`, nextInMs: hasMore ? everySecondMs : pruneEveryMs };
    },
  };
}

/** What looks at whether everything fits together. A look ends with its caller, and the next one begins anew. */
function lookJobs({ reconcile }: JobPorts): Job[] {
  const job = (name: string, description: string, endedOnly: boolean, nextInMs: number): Job => ({
    name,
    description,
    // Whoever is given it while the one before still looks is told so.
    overdueAfterMs: nextInMs,
    async run(closing) {
      const request = { skuIds: [], endedOnly, requestId: randomUUID() };
      const options = { deadlineMs: lookDeadlineMs, signal: closing };
      try {
        const { plan } = await reconcile.planReconcile(request, options);
        const { skus = 0, findingsCount = 0, mended = 0, planId = 0 } = plan ?? {};
        const found =
          findingsCount === 0 ? 'nothing found' : `${findingsCount} found, ${mended} mended, plan ${planId}`;
        return { result: `${skus} skus, ${found}`, nextInMs };
      } catch (error) {
        // A look at everything looks at what ended, too.
        if (!(error instanceof Fault) || error.reason !== 'RECONCILE_UNDER_WAY') throw error;
        return { result: 'another look is under way', nextInMs: reconcileEndedEveryMs };
      }
    },
  });
  return [
    job('reconcile', 'Looks at whether everything fits together', false, reconcileEveryMs),
    job('reconcile-ended', 'Looks at skus that sold out or went off sale since', true, reconcileEndedEveryMs),
  ];
}
