import { parseArgs } from 'node:util';
import { CLINIC_DAY } from './clinic/clinic-day.js';
import type { Drill } from './drill.js';
import { DRILLS } from './drills/drills.js';

export type DrillArguments =
  | { command: 'help' | 'list' }
  | { command: 'clinic-day'; json: boolean; control: boolean; seed?: number }
  | { command: 'run'; drills: readonly Drill[]; json: boolean; control: boolean; seed?: number };

const SEED_MAX = 2 ** 32 - 1;

/** What the command line asks for. Throws with what is wrong. */
export function readArguments(args: string[]): DrillArguments {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      json: { type: 'boolean', default: false },
      control: { type: 'boolean', default: false },
      seed: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help || positionals.length === 0) return { command: 'help' };
  if (positionals.length === 1 && positionals[0] === 'list') return { command: 'list' };
  const seed = values.seed === undefined ? {} : { seed: seedOf(values.seed) };
  if (positionals.includes(CLINIC_DAY.name)) {
    if (positionals.length > 1) throw new Error(`${CLINIC_DAY.name} is run by itself`);
    return { command: 'clinic-day', json: values.json, control: values.control, ...seed };
  }
  const drills = chosen(positionals, values.control);
  return { command: 'run', drills, json: values.json, control: values.control, ...seed };
}

function chosen(names: readonly string[], control: boolean): readonly Drill[] {
  const possible = control ? DRILLS.filter(({ twin }) => twin) : DRILLS;
  if (names.length === 1 && names[0] === 'all') return possible;
  return names.map((name) => {
    const drill = DRILLS.find((one) => one.name === name);
    if (!drill) throw new Error(`there is no drill ${name}; npm run drill -- list names them`);
    if (!possible.includes(drill))
      throw new Error(`${name} has no unsafe twin; npm run drill -- list names those that do`);
    return drill;
  });
}

function seedOf(text: string): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value <= SEED_MAX)) throw new Error(`--seed: ${text} is no whole number from 0 to ${SEED_MAX}`);
  return value;
}
