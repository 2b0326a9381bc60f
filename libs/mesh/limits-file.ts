import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { JsonPart } from '#libs/runtime/json-part.js';

/** Its name in the directory of a mesh. */
export const LIMITS_FILE = 'limits.json';

const version = 1;
const rate = [1, 1_000_000] as const;

/**
 * The settings that the file may give to each service, with their bounds. A setting in capital letters is the variable
 * of the service. `shared`: the file says how much all processes of the service have together.
 */
const serviceSettings = {
  gateway: {
    rate_per_second: { bounds: rate, shared: false },
    rate_burst: { bounds: rate, shared: false },
    caller_rate_per_second: { bounds: rate, shared: false },
    caller_rate_burst: { bounds: rate, shared: false },
    max_in_flight: { bounds: rate, shared: true },
    shed_after_ms: { bounds: [1, 60_000], shared: false },
  },
  inventory: { postgres_connections: { bounds: [2, 100], shared: false } },
  order: {
    consume_per_second: { bounds: [0, 1_000_000], shared: true },
    postgres_connections: { bounds: [2, 100], shared: false },
  },
} as const satisfies Record<string, Record<string, Setting>>;

interface Setting {
  bounds: readonly [number, number];
  shared: boolean;
}

type ServiceSettings = typeof serviceSettings;

/** The services that the file may set up. */
export type LimitedService = keyof ServiceSettings;

/** What one machine can do. Rates are per second. */
export interface Measured {
  /** ISO 8601. */
  at: string;
  cores: number;
  cpu: string;
  node: string;
  /** Claims of one sku that the ledger admits. */
  ledger_per_second: number;
  /** Claims that one order service takes off the stream and has decided. */
  consumer_per_second: number;
  /** Reservations through the gateway, all of them answered. */
  path_per_second: number;
}

/** A sale as somebody expects it. */
export interface Sale {
  units: number;
  /** How many people come. */
  crowd: number;
  /** Within how many seconds they come. */
  over_seconds: number;
  /** Within how many seconds it shall be sold out. */
  target_seconds: number;
}

/** What one sku is limited to, and why. */
export interface LimitEntry {
  store_id: string;
  /** Absent: all skus of the store that have no limit of their own. */
  sku_id?: string;
  per_second: number;
  burst: number;
  sale?: Sale;
  /** How long after its opening such a sale is expected to be sold out. */
  sold_out_after_ms?: number;
}

/** What such a mesh is expected to do; a later run can be held against it. */
export interface Predicted {
  /** Reservations a second, in an open loop. */
  per_second: number;
  p99_ms: number;
}

/** How a mesh is set up for what its machine can do, and what stores and skus are limited to. See docs/limits.md. */
export interface LimitsFile {
  version: typeof version;
  measured: Measured;
  predicted: Predicted;
  services: { [Service in LimitedService]?: { [Setting in keyof ServiceSettings[Service]]?: number } };
  limits: LimitEntry[];
}

/** Reads such a file. Throws with all that is wrong with it; undefined when it is not there. */
export function readLimitsFile(path: string): LimitsFile | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return parseLimits(text, path);
}

/** `source` names it in problems. Throws with all that is wrong, one line each. */
export function parseLimits(text: string, source: string): LimitsFile {
  const problems: string[] = [];
  const root = new JsonPart(parseJson(text, source), source, problems);
  root.demandOnly('version', 'measured', 'predicted', 'services', 'limits');
  root.demand(root.value('version') === version, `version is not ${version}: measure again with npm run calibrate`);
  const file: LimitsFile = {
    version,
    measured: readMeasured(root.part('measured')),
    predicted: readPredicted(root.part('predicted')),
    services: readServices(root.part('services')),
    limits: root.list('limits').map(readEntry),
  };
  const names = file.limits.map(({ store_id, sku_id = '' }) => JSON.stringify([store_id, sku_id]));
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  root.demand(twice.length === 0, `limits names ${twice.join(', ')} twice`);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return file;
}

/** Readers see the old file or the new one, never half of one. */
export function writeLimitsFile(path: string, file: LimitsFile): void {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(file, null, 2)}\n`);
  renameSync(draft, path);
}

/** The variables of one process of a service that runs as so many. */
export function settingsOf({ services }: LimitsFile, service: string, processes: number): Record<string, string> {
  const known: Record<string, Record<string, Setting>> = serviceSettings;
  const given: Record<string, Record<string, number>> = services;
  return Object.fromEntries(
    Object.entries(given[service] ?? {}).map(([setting, value]) => {
      const own = known[service]?.[setting]?.shared ? Math.ceil(value / processes) : value;
      return [setting.toUpperCase(), String(own)];
    }),
  );
}

function parseJson(text: string, source: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${source} is no JSON: ${error instanceof Error ? error.message : error}`);
  }
}

function readMeasured(part: JsonPart): Measured {
  return {
    at: part.text('at'),
    cores: part.integer('cores', 1, 10_000),
    cpu: part.text('cpu', 'unknown'),
    node: part.text('node'),
    ledger_per_second: part.number('ledger_per_second'),
    consumer_per_second: part.number('consumer_per_second'),
    path_per_second: part.number('path_per_second'),
  };
}

function readPredicted(part: JsonPart): Predicted {
  return { per_second: part.number('per_second'), p99_ms: part.number('p99_ms') };
}

function readServices(part: JsonPart): LimitsFile['services'] {
  part.demandOnly(...Object.keys(serviceSettings));
  const named = Object.entries<Record<string, Setting>>(serviceSettings).filter(([service]) => part.has(service));
  return Object.fromEntries(
    named.map(([service, settings]) => {
      const own = part.part(service);
      own.demandOnly(...Object.keys(settings));
      const given = Object.entries(settings).filter(([setting]) => own.has(setting));
      return [service, Object.fromEntries(given.map(([name, { bounds }]) => [name, own.integer(name, ...bounds)]))];
    }),
  );
}

function readEntry(part: JsonPart): LimitEntry {
  part.demandOnly('store_id', 'sku_id', 'per_second', 'burst', 'sale', 'sold_out_after_ms');
  return {
    store_id: readId(part, 'store_id'),
    ...(part.has('sku_id') && { sku_id: readId(part, 'sku_id') }),
    per_second: part.integer('per_second', ...rate),
    burst: part.integer('burst', ...rate),
    ...(part.has('sale') && { sale: readSale(part.part('sale')) }),
    ...(part.has('sold_out_after_ms') && { sold_out_after_ms: part.number('sold_out_after_ms') }),
  };
}

function readId(part: JsonPart, name: string): string {
  const id = part.text(name);
  part.demand(/^[\x21-\x7e]{1,128}$/.test(id), `${name} is not 1 to 128 printable ASCII characters without spaces`);
  return id;
}

function readSale(part: JsonPart): Sale {
  return {
    units: part.integer('units', 1, 1_000_000_000),
    crowd: part.integer('crowd', 0, 1_000_000_000),
    over_seconds: part.number('over_seconds'),
    target_seconds: part.number('target_seconds'),
  };
}
