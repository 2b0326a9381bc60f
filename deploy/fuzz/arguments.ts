import { parseArgs } from 'node:util';
import { whole } from '../rush/arguments.js';

export const FUZZ_HELP = `npm run fuzz [-- OPTIONS]    sends random bodies, frames and bytes into a mesh of its own, and judges what became of it

  --count NUMBER   how many are sent (100000)
  --seed NUMBER    other random numbers (1)
  --json           one last line of JSON on the standard output in place of the table
  --help           this page

Of a hundred, seventy are requests over HTTP with one thing changed in the body, a header or the path; twenty-five are
messages to the gateway with bits flipped, cut, doubled or wrongly framed; five are bytes that are hardly a protocol.
Wrong is: a 5xx or a status that does not say why, no answer within 20 s, a process that died, and a unit that moved
without an order that somebody was told of. The exit code is 1 when anything was.
`;

export interface FuzzArguments {
  count: number;
  seed: number;
  json: boolean;
}

const SEED_MAX = 2 ** 32 - 1;
const COUNT_MAX = 100_000_000;

/** What the command line asks for; undefined when it is help. Throws with what is wrong. */
export function readArguments(args: string[]): FuzzArguments | undefined {
  const { values } = parseArgs({
    args,
    options: {
      count: { type: 'string', default: '100000' },
      seed: { type: 'string', default: '1' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  return {
    count: whole('--count', values.count, 1, COUNT_MAX),
    seed: whole('--seed', values.seed, 0, SEED_MAX),
    json: values.json,
  };
}
