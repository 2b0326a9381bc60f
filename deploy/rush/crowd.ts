import type { Doors } from './door.js';
import type { Outcome } from './outcome.js';
import type { Scenario } from './scenario.js';
import { Visit } from './visit.js';

/** How far the crowd is. */
export interface Tally {
  people: number;
  done: number;
  held: number;
  refused: number;
  errors: number;
}

export interface CrowdOptions {
  scenario: Scenario;
  doors: Doors;
  /** When the scenario's clock shows zero, in milliseconds since the epoch. */
  startsAt: number;
  tally: Tally;
  /** The token of each person. */
  tokens: ReadonlyMap<string, string>;
}

/** Sends everybody in at their moment and resolves when all have their last answer, one outcome for each request. */
export async function runCrowd(options: CrowdOptions): Promise<Outcome[]> {
  const { scenario, doors, startsAt, tally, tokens } = options;
  const visits = scenario.people.map(async (person) => {
    const outcomes = await new Visit(person, doors.of(tokens.get(person.userId) ?? ''), startsAt).run();
    count(tally, outcomes.at(-1)?.answer);
    return outcomes;
  });
  return (await Promise.all(visits)).flat();
}

function count(tally: Tally, answer: string | undefined): void {
  tally.done += 1;
  if (answer === 'HELD') tally.held += 1;
  if (answer === 'REFUSED') tally.refused += 1;
  if (answer === 'ERROR') tally.errors += 1;
}
