import { setTimeout as pause } from 'node:timers/promises';
import { scrape } from '../rush/readings.js';
import type { Stage } from './stage.js';

const LOOK_EVERY_MS = 100;
const BREAKER = 'holdfast_breaker_state{callee="gate"}';
const CLOSED = 0;

/** How long after `since` every inventory used its gate, in ms; null: not all of them in time. Never rejects. */
export async function gateBack(
  { processes }: Pick<Stage, 'processes'>,
  since: number,
  patienceMs: number,
): Promise<number | null> {
  while (Date.now() - since < patienceMs) {
    const inventories = processes('inventory').map(({ admin }) => admin);
    const readings = await scrape(inventories);
    const inUse = readings.filter(({ samples }) => samples.get(BREAKER) === CLOSED);
    if (inUse.length === inventories.length) return Date.now() - since;
    await pause(LOOK_EVERY_MS);
  }
  return null;
}
