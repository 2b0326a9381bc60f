import { parseArgs } from 'node:util';
import { assumptions, bugs, isRule, sloppiness } from './planted.js';
import type { Plan } from './simulate.js';

export const SIMULATE_HELP = `npm run simulate -- [--schedules N] [--seed S] [--without RULE] [--json]

Runs N schedules (200000) of the model from seed S (1) on and looks for everything that is planted.

  --without RULE  runs the schedules without one rule, and looks for nothing else:
                  ${[...bugs, ...assumptions, ...sloppiness].map(({ name }) => name).join('\n                  ')}
  --planted N     schedules in which a planted bug is looked for (60000)
  --threads N     as many as there are cores
  --json          the last line alone, and nothing else on stdout

The last line is {schedules, violations, planted, planted_found}. Exits 1 when a law was broken, a bug was not found, or
sloppiness broke a law. A seed that breaks a law is told with its trace and the command that runs it again.
`;

export interface Options extends Plan {
  readonly json: boolean;
  readonly threads: number | undefined;
}

/** Undefined when only help is wanted; throws with what is wrong. */
export function readOptions(args: readonly string[]): Options | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: 'boolean', short: 'h', default: false },
      schedules: { type: 'string', default: '200000' },
      seed: { type: 'string', default: '1' },
      planted: { type: 'string', default: '60000' },
      without: { type: 'string' },
      threads: { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const { without } = values;
  if (without !== undefined && !isRule(without)) throw new Error(`--without: there is no rule ${without}`);
  return {
    schedules: natural('schedules', values.schedules, 1),
    seed: natural('seed', values.seed, 0),
    mostForABug: natural('planted', values.planted, 0),
    without,
    threads: values.threads === undefined ? undefined : natural('threads', values.threads, 1),
    json: values.json,
  };
}

function natural(name: string, text: string, least: number): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < least)
    throw new Error(`--${name} wants a whole number of at least ${least}`);
  return number;
}
