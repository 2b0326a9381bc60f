import { AlertKind, AlertServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/alert_service.js';
import { DeadLetterServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/dead_letter_service.js';
import { ExplainServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/explain_service.js';
import { MoneyServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/money_service.js';
import { OrderDeskServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/order_desk_service.js';
import { ReconcileServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/reconcile_service.js';
import { SchedulerServiceDefinition } from '#libs/contracts/gen/holdfast/scheduler/v1/scheduler_service.js';
import { WaitlistServiceDefinition } from '#libs/contracts/gen/holdfast/waitlist/v1/waitlist_service.js';
import { WebhookServiceDefinition } from '#libs/contracts/gen/holdfast/webhook/v1/webhook_service.js';
import { Fault } from '#libs/refusal/fault.js';
import type { CallContext } from '#libs/rpc/call-context.js';
import { type Client, connect } from '#libs/rpc/client.js';
import type { ServiceDefinition } from '#libs/rpc/definition.js';
import { type Handlers, implement, type ServiceImplementation, type UnaryHandler } from '#libs/rpc/service.js';
import type { Target } from '#libs/rpc/target.js';
import type { CallLimits } from '../app/limits/call-limits.js';
import type { BucketRate } from '../app/limits/token-buckets.js';
import type { Inventory } from '../app/ports.js';
import { controlService, stockControl } from './control.js';
import { explainHandlers } from './explain.js';
import { forwardTo } from './forward.js';
import { defaultDeadlineMs, within } from './inner-calls.js';
import { MeshStatus, type MeshStatusOptions } from './mesh-status.js';
import { behindToll } from './toll.js';

import { type WaitlistParts, waitlistHandlers } from './waitlist-handlers.js';

const ownDeadlinesMs: Readonly<Record<string, number>> = {
  // A plan looks at every order: of a full ledger that takes tens of seconds.
  [ReconcileServiceDefinition.name]: 120_000,
  // A test waits for the endpoint.
  [WebhookServiceDefinition.name]: 35_000,
};
const statusDeadlineMs = 1_000;
const ALERTS_AT_ONCE = 500;

export interface OperatorServicesOptions extends Pick<MeshStatusOptions, 'own' | 'otherGateways'> {
  /** Those that a gateway may do without are there when it is told where they are. */
  targets: { inventory: Target; order: Target; scheduler?: Target; webhook?: Target };
  inventory: Pick<Inventory, 'listLimits' | 'setLimits' | 'findClaim'>;
  /** What holds where neither sku nor store sets anything. */
  configured: BucketRate;
  callLimits: CallLimits;
  waiting: Omit<WaitlistParts, 'client'>;
}

/** What operators may ask and do, and staff some of it, each part forwarded to the service that owns it. */
export function operatorServices(options: OperatorServicesOptions): {
  services: ServiceImplementation[];
  close(): void;
} {
  const { inventory, configured, callLimits, waiting, targets } = options;
  const closers: (() => void)[] = [];

  function open<Definition extends ServiceDefinition>(definition: Definition, target: Target): Client<Definition> {
    const deadlineMs = ownDeadlinesMs[definition.name] ?? defaultDeadlineMs;
    const client = connect(definition, target, { defaultDeadlineMs: deadlineMs });
    closers.push(() => client.close());
    return client;
  }
  function serve<Definition extends ServiceDefinition>(definition: Definition, handlers: Handlers<Definition>) {
    return implement(definition, behindToll(definition, handlers, callLimits));
  }
  function forward<Definition extends ServiceDefinition>(definition: Definition, client: Client<Definition>) {
    return serve(definition, forwardTo(definition, client));
  }
  /** A service that a gateway may do without, which then answers every call with which setting it misses. */
  function forwardIf<Definition extends ServiceDefinition>(
    definition: Definition,
    target: Target | undefined,
    setting: string,
  ) {
    if (target !== undefined) return forward(definition, open(definition, target));
    return serve(definition, unset(definition, setting));
  }

  const stock = open(stockControl, targets.inventory);
  const alerts = open(AlertServiceDefinition, targets.order);
  const meshStatus = new MeshStatus({
    own: options.own,
    otherGateways: options.otherGateways,
    targets,
    switches: async (call) => (await stock.getControl({}, askedBy(call))).switches,
    openAlerts: (call) => openAlerts(alerts, call),
  });
  closers.push(() => meshStatus.close());

  const services = [
    controlService({ stock, inventory, configured, callLimits, meshStatus }),
    forward(ReconcileServiceDefinition, open(ReconcileServiceDefinition, targets.inventory)),
    forward(AlertServiceDefinition, alerts),
    serve(
      WaitlistServiceDefinition,
      waitlistHandlers({ ...waiting, client: open(WaitlistServiceDefinition, targets.order) }),
    ),
    forward(DeadLetterServiceDefinition, open(DeadLetterServiceDefinition, targets.order)),
    forward(MoneyServiceDefinition, open(MoneyServiceDefinition, targets.order)),
    forward(OrderDeskServiceDefinition, open(OrderDeskServiceDefinition, targets.order)),
    serve(ExplainServiceDefinition, explainHandlers(open(ExplainServiceDefinition, targets.order), inventory)),
    forwardIf(SchedulerServiceDefinition, targets.scheduler, 'SCHEDULER_TARGET'),
    forwardIf(WebhookServiceDefinition, targets.webhook, 'WEBHOOK_TARGET'),
  ];
  return {
    services,
    close() {
      for (const close of closers) close();
    },
  };
}

function unset<Definition extends ServiceDefinition>({ methods }: Definition, setting: string): Handlers<Definition> {
  const refuse: UnaryHandler<unknown, unknown> = async () => {
    throw new Fault('UNAVAILABLE', `This gateway was given no ${setting}`);
  };
  const handlers = Object.keys(methods).map((name): [string, UnaryHandler<unknown, unknown>] => [name, refuse]);
  // The names are those of the contract.
  return Object.fromEntries(handlers) as Handlers<Definition>;
}

function askedBy(call: CallContext) {
  return { ...within(call), deadlineMs: statusDeadlineMs };
}

/** How many alerts are open, by kind. */
async function openAlerts(client: Client<AlertServiceDefinition>, call: CallContext): Promise<Record<string, number>> {
  const open: Record<string, number> = {};
  let pageToken = '';
  do {
    const request = { withCleared: false, pageSize: ALERTS_AT_ONCE, pageToken };
    const page = await client.listAlerts(request, askedBy(call));
    for (const { kind } of page.alerts) {
      const name = (AlertKind[kind] ?? String(kind)).replace('ALERT_KIND_', '');
      open[name] = (open[name] ?? 0) + 1;
    }
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  return open;
}
