import type {
  ControlServiceDefinition,
  ImportSkusRequest,
  ImportSkusResponse,
  ListReleasesResponse,
} from '#libs/contracts/gen/holdfast/control/v1/control_service.js';
import { StockPath } from '#libs/contracts/gen/holdfast/control/v1/switch.js';
import { shardOfStore } from '#libs/contracts/order-id.js';
import { toOrderMessage } from '#libs/contracts/order-messages.js';
import type { Ledger } from '#libs/ledger/ledger.js';
import type { Release } from '#libs/ledger/sku-control.js';
import { Fault } from '#libs/refusal/fault.js';
import { actorNameOf } from '#libs/rpc/actor.js';
import type { CallContext } from '#libs/rpc/call-context.js';
import type { Handlers } from '#libs/rpc/service.js';
import { toStatus } from '#libs/rpc/status.js';
import type { LoadedGates } from '../app/ports.js';
import { type ChangeHearers, spreadChange } from '../app/spread-change.js';
import { fromSkuMessage, toAvailabilityMessage, toSkuMessage } from './sku-messages.js';

const UNTOLD_REASON = 'import';

export interface SkuControlParts extends ChangeHearers {
  ledger: Pick<
    Ledger,
    | 'skuPause'
    | 'skuCancel'
    | 'skuGet'
    | 'ordersOverbooked'
    | 'capacitySet'
    | 'skusImportOnce'
    | 'skusRehearse'
    | 'releasesList'
  >;
  ledgerNow(): Date;
  /** Absent: there is no Redis. */
  gate: LoadedGates | undefined;
  shards: number;
}

type SkuControlHandlers = Pick<
  Handlers<typeof ControlServiceDefinition>,
  'pauseSku' | 'resumeSku' | 'cancelSku' | 'listOverbookedOrders' | 'setCapacity' | 'importSkus' | 'listReleases'
>;

/** What operators do to skus: the ledger decides by it from the moment of the answer, and the gate knows it then. */
export function serveSkuControl(parts: SkuControlParts): SkuControlHandlers {
  const { ledger, ledgerNow } = parts;

  async function pause(request: SkuNamed, paused: boolean, call: CallContext) {
    const { sku } = await ledger.skuPause({ ...request, paused, operator: actorNameOf(call) });
    await spreadChange(parts, [sku.skuId]);
    return { sku: toSkuMessage(sku) };
  }

  return {
    pauseSku: (request, call) => pause(request, true, call),

    resumeSku: (request, call) => pause(request, false, call),

    async cancelSku(request, call) {
      const { sku } = await ledger.skuCancel({ ...request, operator: actorNameOf(call) });
      await spreadChange(parts, [sku.skuId]);
      return { sku: toSkuMessage(sku) };
    },

    async listOverbookedOrders({ skuId, pageSize, pageToken }) {
      const { sku } = await ledger.skuGet(skuId);
      const { orders, nextPageToken } = await ledger.ordersOverbooked(skuId, { pageSize, pageToken });
      return { sku: toSkuMessage(sku), orders: orders.map(toOrderMessage), nextPageToken };
    },

    async setCapacity(request, call) {
      const { sku, stock } = await ledger.capacitySet({ ...request, operator: actorNameOf(call) });
      await spreadChange(parts, [sku.skuId]);
      return { sku: toSkuMessage(sku), availability: toAvailabilityMessage(stock, ledgerNow()) };
    },

    importSkus: (request, call) => importSkus(parts, request, call),

    async listReleases({ storeId, withinHours, pageSize, pageToken }) {
      const { releases, nextPageToken } = await ledger.releasesList({ storeId, withinHours }, { pageSize, pageToken });
      return { releases: await toReleaseMessages(parts, releases), nextPageToken };
    },
  };
}

interface SkuNamed {
  storeId: string;
  skuId: string;
  reason: string;
  requestId: string;
}

async function importSkus(
  parts: SkuControlParts,
  request: ImportSkusRequest,
  call: CallContext,
): Promise<ImportSkusResponse> {
  const { dryRun, update, requestId } = request;
  const operator = actorNameOf(call);
  const skus = request.skus.map(fromSkuMessage);
  const reason = request.reason || UNTOLD_REASON;
  const imported = dryRun
    ? await parts.ledger.skusRehearse({ skus, update })
    : await parts.ledger.skusImportOnce({ skus, update, operator, reason, requestId });
  const response: ImportSkusResponse = { created: 0, changed: 0, unchanged: 0, failures: [] };
  const touched: string[] = [];
  for (const [position, { skuId }] of skus.entries()) {
    const outcome = imported[position];
    if (outcome instanceof Fault) response.failures.push({ position, skuId, error: toStatus(outcome) });
    else if (outcome === 'CREATED') response.created += 1;
    else if (outcome === 'CHANGED') response.changed += 1;
    else response.unchanged += 1;
    if (outcome === 'CREATED' || outcome === 'CHANGED') touched.push(skuId);
  }
  if (!dryRun) await spreadChange(parts, touched);
  return response;
}

async function toReleaseMessages(
  { gate, shards, ledgerNow }: SkuControlParts,
  releases: readonly Release[],
): Promise<ListReleasesResponse['releases']> {
  const loaded = gate ? await loadedOf(gate, shards, releases) : new Set<string>();
  const now = ledgerNow();
  return releases.map(({ sku, stock, stockPath }) => ({
    sku: toSkuMessage(sku),
    availability: toAvailabilityMessage(stock, now),
    gateLoaded: loaded.has(sku.skuId),
    stockPath: StockPath[`STOCK_PATH_${stockPath}`],
  }));
}

/** Skus whose gates are loaded. A shard that cannot be asked has none that is known to be. */
async function loadedOf(gate: LoadedGates, shards: number, releases: readonly Release[]): Promise<Set<string>> {
  const byShard = new Map<number, string[]>();
  for (const { sku } of releases) {
    const shard = shardOfStore(sku.storeId, shards);
    byShard.set(shard, [...(byShard.get(shard) ?? []), sku.skuId]);
  }
  const loaded = await Promise.all(
    [...byShard].map(([shard, skuIds]) => gate.loaded(shard, skuIds).catch((): string[] => [])),
  );
  return new Set(loaded.flat());
}
