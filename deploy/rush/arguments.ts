import { parseArgs } from 'node:util';
import { type DispensableServer, parseScale, parseWithout, type Scale } from '../local/topology.js';
import { THROUGH, type Through } from './rush.js';
import { type Scenario, spread } from './scenario.js';
import { readScenarioFile } from './scenario-file.js';
import { scenarioNamed } from './scenarios/scenarios.js';
import type { RushLimits } from './stock-room.js';

export interface RushArguments {
  scenario: Scenario;
  json: boolean;
  limits: RushLimits;
  through: Through;
  /** Both undefined when nothing was said. */
  scale?: Scale;
  without?: DispensableServer[];
}

const SEED_MAX = 2 ** 32 - 1;
const OVER_MAX_SECONDS = 86_400;
const RATE_MAX = 1_000_000;

/** What the command line asks for; undefined when it is help. Throws with what is wrong. */
export function readArguments(args: string[]): RushArguments | undefined {
  const { values } = parseArgs({
    args,
    options: {
      scenario: { type: 'string', default: 'class' },
      json: { type: 'boolean', default: false },
      limits: { type: 'boolean', default: false },
      through: { type: 'string', default: 'bff' },
      rate: { type: 'string' },
      scale: { type: 'string' },
      without: { type: 'string' },
      over: { type: 'string' },
      seed: { type: 'string', default: '1' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const seed = whole('--seed', values.seed, 0, SEED_MAX);
  const scenario = scenarioNamed(values.scenario, seed) ?? readScenarioFile(values.scenario);
  return {
    scenario: values.over === undefined ? scenario : spread(scenario, overSeconds(values.over)),
    json: values.json,
    limits: limitsOf(values.limits, values.rate),
    through: throughOf(values.through),
    ...(values.scale === undefined ? {} : { scale: parseScale(values.scale) }),
    ...(values.without === undefined ? {} : { without: parseWithout(values.without) }),
  };
}

/** A rate of its own is a limit, whether or not limits were asked for. */
function limitsOf(limits: boolean, rate: string | undefined): RushLimits {
  if (rate === undefined) return limits ? 'CONFIGURED' : 'OFF';
  const perSecond = whole('--rate', rate, 1, RATE_MAX);
  return { perSecond, burst: perSecond };
}

function throughOf(text: string): Through {
  const through = THROUGH.find((one) => one === text);
  if (through === undefined) throw new Error(`--through: ${text} is not ${THROUGH.join(' or ')}`);
  return through;
}

function overSeconds(text: string): number {
  const seconds = text === '' ? Number.NaN : Number(text);
  if (!(seconds >= 0 && seconds <= OVER_MAX_SECONDS)) throw new Error(`--over: ${text} is no number of seconds`);
  return seconds;
}

/** The whole number that an option was given. Throws with what is wrong. */
export function whole(option: string, text: string, min: number, max: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) throw new Error(`${option}: ${text} is no whole number from ${min} to ${max}`);
  return value;
}
