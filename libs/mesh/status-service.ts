import type {
  InstanceStatus,
  OrderStatus,
  PoolStatus,
  ServerStatus,
  StockStatus,
} from '#libs/contracts/gen/holdfast/status/v1/instance.js';
import { StatusServiceDefinition } from '#libs/contracts/gen/holdfast/status/v1/status_service.js';
import type { PoolStats, PostgresPool } from '#libs/postgres/pool.js';
import { implement, type ServiceImplementation } from '#libs/rpc/service.js';
import { version } from '#libs/runtime/version.js';
import { withinDeadline } from '#libs/runtime/within-deadline.js';

/** Shorter than whoever asks for a status waits: a server that hangs is told of, and hangs nobody. */
const CHECK_MS = 500;

/** What a process can say of itself. */
export interface StatusParts {
  /** As configured: `inventory-1`. */
  instance: string;
  service: 'gateway' | 'inventory' | 'order' | 'scheduler' | 'webhook';
  /** Whether the servers it needs answer it, by name. A check that rejects, or takes over half a second, says no. */
  servers?: Readonly<Record<string, () => Promise<boolean>>>;
  pools?: Readonly<Record<string, Pick<PostgresPool, 'stats'>>>;
  /** What only this service has; it must not hang. */
  own?(): Promise<{ stock?: StockStatus; orders?: OrderStatus }>;
}

/** Says how this process is, also while a server under the mesh does not answer. */
export class StatusReader {
  readonly #startedAt = new Date();

  constructor(private readonly parts: StatusParts) {}

  async read(): Promise<InstanceStatus> {
    const { instance, service, servers = {}, pools = {} } = this.parts;
    const checks = Object.entries(servers).map(
      async ([name, check]): Promise<ServerStatus> => ({ name, answers: await answers(check) }),
    );
    const [own, ...checked] = await Promise.all([this.parts.own?.(), ...checks]);
    return {
      instance,
      service,
      version,
      startedAt: this.#startedAt,
      servers: checked,
      pools: Object.entries(pools).map(([name, pool]) => poolStatus(name, pool.stats())),
      stock: own?.stock,
      orders: own?.orders,
    };
  }
}

/** The StatusService of a process. */
export function statusService(status: StatusReader): ServiceImplementation {
  return implement(StatusServiceDefinition, { getStatus: async () => ({ status: await status.read() }) });
}

function poolStatus(name: string, { size, inUse, waiting, longestWaitMs }: PoolStats): PoolStatus {
  return { name, size, inUse, waiting, longestWaitMs };
}

async function answers(check: () => Promise<boolean>): Promise<boolean> {
  try {
    return await withinDeadline(check(), CHECK_MS, () => new Error('no answer in time'));
  } catch {
    return false;
  }
}
