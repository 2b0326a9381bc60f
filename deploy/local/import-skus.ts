import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ImportSkusResponse,
  InventoryServiceDefinition,
} from '#libs/contracts/gen/holdfast/inventory/v1/inventory_service.js';
import type { Sku } from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
import { Fault } from '#libs/refusal/fault.js';
import { type Client, connect } from '#libs/rpc/client.js';
import { fromStatus } from '#libs/rpc/status.js';
import type { Target } from '#libs/rpc/target.js';

const DEADLINE_MS = 30_000;
/** An inventory that is restarted, or misses its ledger, is back by then. */
const PERSISTENCE_MS = 30_000;
const RETRY_EVERY_MS = 200;
const SKUS_PER_MESSAGE = 100;

/** A sku as somebody describes it who cares for the essentials only. */
export type SkuWish = Pick<Sku, 'skuId' | 'storeId' | 'title' | 'capacity'> & Partial<Sku>;

export interface ImportOptions {
  /** Leaves skus as they are that somebody changed since; without it they are failures. */
  keepChanged?: boolean;
}

/** Puts skus on sale through the inventory services of the target. The same again changes nothing, so what is away is asked again. */
export async function importSkus(
  inventories: Target,
  wishes: SkuWish[],
  { keepChanged = false }: ImportOptions = {},
): Promise<void> {
  const inventory = connect(InventoryServiceDefinition, inventories, { defaultDeadlineMs: DEADLINE_MS });
  try {
    const { failures } = await imported(inventory, wishes.map(complete));
    const serious = failures.filter(
      ({ error }) => !(keepChanged && error && fromStatus(error).reason === 'ETAG_MISMATCH'),
    );
    const [first] = serious;
    if (first) throw new Error(`${serious.length} skus were not imported; ${first.skuId}: ${first.error?.message}`);
  } finally {
    inventory.close();
  }
}

async function imported(
  inventory: Client<typeof InventoryServiceDefinition>,
  skus: Sku[],
): Promise<ImportSkusResponse> {
  const giveUpAt = Date.now() + PERSISTENCE_MS;
  for (;;) {
    try {
      const response = await inventory.importSkus(messages(skus));
      const isAway = response.failures.some(({ error }) => error && fromStatus(error).reason === 'UNAVAILABLE');
      if (!isAway || Date.now() >= giveUpAt) return response;
    } catch (thrown) {
      const isAway = thrown instanceof Fault && thrown.reason === 'UNAVAILABLE';
      if (!isAway || Date.now() >= giveUpAt) throw thrown;
    }
    await sleep(RETRY_EVERY_MS);
  }
}

async function* messages(skus: Sku[]): AsyncGenerator<{ skus: Sku[] }> {
  for (let from = 0; from < skus.length; from += SKUS_PER_MESSAGE) {
    yield { skus: skus.slice(from, from + SKUS_PER_MESSAGE) };
  }
}

/** Zero stands for the default, on the wire as here. */
function complete(wish: SkuWish): Sku {
  return {
    overbooked: 0,
    startsAt: undefined,
    timeZone: '',
    onSaleAt: undefined,
    offSaleAt: undefined,
    cancelledAt: undefined,
    limitGroup: '',
    perUserLimit: 0,
    maxPerOrder: 0,
    holdTtlSeconds: 0,
    paymentRequired: true,
    priceMinor: 0,
    currency: 'EUR',
    rateLimit: undefined,
    paused: false,
    etag: '',
    ...wish,
  };
}
