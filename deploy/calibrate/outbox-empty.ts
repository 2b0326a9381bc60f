import { setTimeout as pause } from 'node:timers/promises';
import type { Mesh } from '../local/mesh.js';
import { scrape } from '../rush/readings.js';

const patienceMs = 60_000;
const lookEveryMs = 50;

/** Resolves when the events of earlier runs are out, so that a run pays for its own alone. */
export async function outboxEmpty(mesh: Mesh): Promise<void> {
  const admins = mesh.describe().services.order?.map(({ admin }) => admin) ?? [];
  const deadline = Date.now() + patienceMs;
  while (Date.now() < deadline) {
    await pause(lookEveryMs);
    const readings = await scrape(admins);
    if (readings.every(({ samples }) => samples.get('holdfast_outbox_lag') === 0)) return;
  }
  throw new Error('the events of the last run are still not out');
}
