import { type Random, seededRandom } from '../random.js';
import type { Scenario } from '../scenario.js';
import { basket } from './basket.js';
import { classScenario } from './class-scenario.js';
import { clinic } from './clinic.js';
import { flash } from './flash.js';
import { salon } from './salon.js';

const BUILDERS: Record<string, (random: Random) => Scenario> = {
  clinic,
  salon,
  class: classScenario,
  flash,
  basket,
};

/** The names that `scenarioNamed` knows. */
export const SCENARIO_NAMES: readonly string[] = Object.keys(BUILDERS);

/** The built-in scenario of that name, the same for the same seed; undefined when there is none. */
export function scenarioNamed(name: string, seed: number): Scenario | undefined {
  return BUILDERS[name]?.(seededRandom(seed));
}
