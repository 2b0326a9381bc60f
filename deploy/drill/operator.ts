import { randomUUID } from 'node:crypto';
import { ControlServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/control_service.js';
import { ScopeKind, StockPath } from '#libs/contracts/gen/holdfast/control/v1/switch.js';
import { OnBusy } from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
import { localTokens } from '#libs/mesh/local-issuer.js';
import { type Client, connect } from '#libs/rpc/client.js';
import type { Mesh } from '../local/mesh.js';
import { DEMAND } from './sale-plan.js';
import type { Stage } from './stage.js';

const DEADLINE_MS = 5_000;
const scope = { kind: ScopeKind.SCOPE_KIND_ALL, storeId: '', skuId: '' };

/** An operator who works through the gateway, as operators do. Close it at the end. */
export class Operator {
  readonly #control: Client<typeof ControlServiceDefinition>;
  #version: number | undefined;

  constructor(stage: { mesh: Pick<Mesh, 'describe'> }) {
    const { gateway, identity } = stage.mesh.describe();
    const authorization = `Bearer ${localTokens(identity)('drill', { role: 'OPERATOR' })}`;
    this.#control = connect(ControlServiceDefinition, gateway, {
      defaultDeadlineMs: DEADLINE_MS,
      metadata: () => ({ authorization }),
    });
  }

  /** Switches the stock path of everything. */
  async switchTo(path: 'AUTO' | 'REDIS' | 'POSTGRES'): Promise<void> {
    this.#version ??= await this.#readVersion();
    const { switch: set } = await this.#control.setStockPath({
      ...{ scope, path: StockPath[`STOCK_PATH_${path}`], reason: 'a drill', expiresInSeconds: 0 },
      ...{ expectedVersion: this.#version, requestId: randomUUID() },
    });
    this.#version = set?.version;
  }

  /** Lets so many requests a second through for a sku; whoever is more waits in line. */
  async limit(skuId: string, perSecond: number): Promise<void> {
    await this.#control.setLimits({
      ...{ storeId: DEMAND.find(({ sku }) => sku === skuId)?.store ?? '', skuId, clearRateLimit: false },
      ...{ rateLimit: { perSecond, burst: perSecond }, onBusy: OnBusy.ON_BUSY_QUEUE, requestId: randomUUID() },
    });
  }

  /** Also below what is held and sold: the sku is overbooked by the difference until units come back. */
  async setCapacity(wanted: { storeId: string; skuId: string; capacity: number }): Promise<void> {
    await this.#control.setCapacity({ ...wanted, force: true, reason: 'a drill', requestId: randomUUID() });
  }

  close(): void {
    this.#control.close();
  }

  async #readVersion(): Promise<number> {
    const { switches } = await this.#control.getControl({});
    const ofAll = switches.find(({ scope: of, path }) => of?.kind === scope.kind && path?.$case === 'stockPath');
    return ofAll?.version ?? 0;
  }
}

/** Does something as an operator. */
export async function asOperator<Result>(
  stage: Pick<Stage, 'mesh'>,
  act: (operator: Operator) => Promise<Result>,
): Promise<Result> {
  const operator = new Operator(stage);
  try {
    return await act(operator);
  } finally {
    operator.close();
  }
}
