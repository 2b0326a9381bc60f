import { assert } from '#libs/testing/suite.js';
import type { Drill } from '../../deploy/drill/drill.js';
import { runDrill } from '../../deploy/drill/run-drill.js';

/** Short, and with few people: the laws are asked for, not how fast anything is. */
const plan = { perSecond: 30, beforeMs: 500, faultMs: 2_000, afterMs: 500 };

/** Runs the drill in short form, and finds that it broke no law and left nothing undone. */
export async function assertLawsHold(drill: Drill): Promise<void> {
  const said: string[] = [];
  const { row } = await runDrill(drill, { plan, report: (line) => said.push(line) });
  assert.equal(row.failures, [], said.join('\n'));
  assert.ok(row.held > 0 && row.conserved);
}
