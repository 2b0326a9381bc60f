import { type Rival, type RivalProgram, startRival } from './start-rival.js';

/** A mesh that calls for each order: edge, gateway and inventory, each a process of its own, and Redis. */
export interface UnaryMesh {
  /** Base URL of the edge. */
  url: string;
  pids: Record<string, number | undefined>;
  stop(): Promise<void>;
}

/** Starts it on that Redis. */
export async function startUnaryMesh(redisUrl: string): Promise<UnaryMesh> {
  const started: Rival[] = [];
  const stop = async (): Promise<void> => {
    for (let rival = started.pop(); rival; rival = started.pop()) await rival.stop();
  };
  const start = async (name: RivalProgram, target: string): Promise<Rival> => {
    const rival = await startRival(name, [target]);
    started.push(rival);
    return rival;
  };
  try {
    const inventory = await start('unary-inventory', redisUrl);
    const gateway = await start('unary-gateway', inventory.address);
    const edge = await start('unary-edge', gateway.address);
    return { url: edge.address, pids: { edge: edge.pid, gateway: gateway.pid, inventory: inventory.pid }, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
