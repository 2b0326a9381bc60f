import { InventoryServiceDefinition } from '#libs/contracts/gen/holdfast/inventory/v1/inventory_service.js';
import { type Client, connect } from '#libs/rpc/client.js';
import { importSkus } from '../local/import-skus.js';
import type { ScenarioSku } from './scenario.js';

const DEADLINE_MS = 5_000;
/** A crowd is the point of it: no limit of a rate shall thin it out before it reaches the stock. */
const NO_RATE_LIMIT = { perSecond: 1_000_000, burst: 1_000_000 };

/** What the rush asks of the inventory service: to put skus on sale, and what is undecided in its journal. */
export class StockRoom {
  readonly #inventory: Client<typeof InventoryServiceDefinition>;

  constructor(readonly address: string) {
    this.#inventory = connect(InventoryServiceDefinition, address, { defaultDeadlineMs: DEADLINE_MS });
  }

  /** `startsAt`: the zero of the scenario's clock by the ledger's time, in milliseconds since the epoch. */
  putOnSale(skus: ScenarioSku[], startsAt: number): Promise<void> {
    const wishes = skus.map(({ opensAtMs, ...sku }) => ({
      ...sku,
      title: sku.skuId,
      priceMinor: 2500,
      rateLimit: NO_RATE_LIMIT,
      onSaleAt: opensAtMs === undefined ? undefined : new Date(startsAt + opensAtMs),
    }));
    return importSkus(this.address, wishes);
  }

  /** Claims that a sweep of the journal leaves undecided. */
  async undecided(): Promise<number> {
    return (await this.#inventory.sweep({})).remaining;
  }

  close(): void {
    this.#inventory.close();
  }
}
