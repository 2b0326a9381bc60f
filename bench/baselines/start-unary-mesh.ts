import { type Rival, type RivalProgram, startRival } from './start-rival.js';

/**
 * A mesh that calls for each order: edge, gateway and inventory, each a process of its own, and Redis; with a database also an
 * order service, which writes them.
 */
export interface UnaryMesh {
  /** Base URL of the edge. */
  url: string;
  pids: Record<string, number | undefined>;
  stop(): Promise<void>;
}

/** Starts it on that Redis, and on that database if there is one. */
export async function startUnaryMesh(redisUrl: string, databaseUrl?: string): Promise<UnaryMesh> {
  const started: Rival[] = [];
  const stop = async (): Promise<void> => {
    for (let rival = started.pop(); rival; rival = started.pop()) await rival.stop();
  };
  const start = async (name: RivalProgram, ...targets: string[]): Promise<Rival> => {
    const rival = await startRival(name, targets);
    started.push(rival);
    return rival;
  };
  try {
    const order = databaseUrl === undefined ? undefined : await start('unary-order', databaseUrl);
    const inventory = await start('unary-inventory', redisUrl, ...(order ? [order.address] : []));
    const gateway = await start('unary-gateway', inventory.address);
    const edge = await start('unary-edge', gateway.address);
    const pids = { edge: edge.pid, gateway: gateway.pid, inventory: inventory.pid, ...(order && { order: order.pid }) };
    return { url: edge.address, pids, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
