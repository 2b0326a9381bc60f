import { InventoryServiceDefinition } from '#libs/contracts/gen/holdfast/inventory/v1/inventory_service.js';
import { type Client, connect } from '#libs/rpc/client.js';
import type { Target } from '#libs/rpc/target.js';
import { importSkus } from '../local/import-skus.js';
import type { RateLimit } from './line-facts.js';
import type { ScenarioSku } from './scenario.js';

const DEADLINE_MS = 5_000;
/** So high that nobody meets it. */
const NO_RATE_LIMIT: RateLimit = { perSecond: 1_000_000, burst: 1_000_000 };
/** What gateways are configured with unless somebody says otherwise. */
const CONFIGURED_LIMIT: RateLimit = { perSecond: 50, burst: 50 };

/** `OFF`: a crowd reaches the stock unthinned. `CONFIGURED`: the skus name no limit and the gateways' own holds. */
export type RushLimits = 'OFF' | 'CONFIGURED' | RateLimit;

/** The limit that people meet; undefined when there is none. */
export function limitOf(limits: RushLimits): RateLimit | undefined {
  if (limits === 'OFF') return undefined;
  return limits === 'CONFIGURED' ? CONFIGURED_LIMIT : limits;
}

/** What the rush asks of the inventory service: to put skus on sale, and what is undecided in its journal. */
export class StockRoom {
  readonly #inventory: Client<typeof InventoryServiceDefinition>;

  constructor(private readonly inventories: Target) {
    this.#inventory = connect(InventoryServiceDefinition, inventories, { defaultDeadlineMs: DEADLINE_MS });
  }

  /** `startsAt`: the zero of the scenario's clock by the ledger's time, in milliseconds since the epoch. */
  putOnSale(skus: ScenarioSku[], startsAt: number, limits: RushLimits): Promise<void> {
    const wishes = skus.map(({ opensAtMs, ...sku }) => ({
      ...sku,
      title: sku.skuId,
      priceMinor: 2500,
      rateLimit: rateLimitOf(limits),
      onSaleAt: opensAtMs === undefined ? undefined : new Date(startsAt + opensAtMs),
    }));
    return importSkus(this.inventories, wishes);
  }

  /** Claims that a sweep of the journal leaves undecided. */
  async undecided(): Promise<number> {
    return (await this.#inventory.sweep({})).remaining;
  }

  close(): void {
    this.#inventory.close();
  }
}

/** Undefined on a sku: what the gateways are configured with. */
function rateLimitOf(limits: RushLimits): RateLimit | undefined {
  if (limits === 'OFF') return NO_RATE_LIMIT;
  return limits === 'CONFIGURED' ? undefined : limits;
}
