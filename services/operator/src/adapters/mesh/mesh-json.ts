import type { InstanceStatus, MeshInstance, MeshStatus } from '../../domain/mesh.js';
import type { Concern } from '../../domain/mesh-verdict.js';
import { switchJson } from '../switches/switch-json.js';
import { instantJson } from '../time-text.js';

/** As `status --json` prints it; names as in the contracts, and what to look at. */
export function meshJson({ instances, switches, openAlerts }: MeshStatus, concerns: readonly Concern[]): object {
  return {
    well: concerns.length === 0,
    concerns,
    instances: instances.map(instanceJson),
    switches: switches.map(switchJson),
    open_alerts: openAlerts,
  };
}

function instanceJson({ service, address, status, problem }: MeshInstance): object {
  return { service, address, answers: status !== undefined, problem, status: status ? statusJson(status) : null };
}

function statusJson({ instance, version, startedAt, servers, pools, stock, orders }: InstanceStatus): object {
  return {
    instance,
    version,
    started_at: instantJson(startedAt),
    servers: servers.map(({ name, answers }) => ({ name, answers })),
    pools: pools.map(({ name, size, inUse, waiting, longestWaitMs }) => ({
      name,
      size,
      in_use: inUse,
      waiting,
      longest_wait_ms: longestWaitMs,
    })),
    ...(stock && { stock: stockJson(stock) }),
    ...(orders && { orders: ordersJson(orders) }),
  };
}

function stockJson(stock: NonNullable<InstanceStatus['stock']>): object {
  return {
    stock_path: stock.stockPath,
    order_path: stock.orderPath,
    gate_breaker: stock.gateBreaker,
    stream_breaker: stock.streamBreaker,
    journal_size: stock.journalSize,
    journal_oldest_ms: stock.journalOldestMs,
    in_flight: stock.inFlight,
    parked: stock.parked,
    undecided: stock.undecided,
  };
}

function ordersJson(orders: NonNullable<InstanceStatus['orders']>): object {
  return {
    consumer_lag: orders.consumerLag,
    outbox_lag: orders.outboxLag,
    outbox_oldest_ms: orders.outboxOldestMs,
    dead_letters: orders.deadLetters,
  };
}
