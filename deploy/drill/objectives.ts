import { readFileSync } from 'node:fs';
import type { DrillRow } from './row.js';

/** What may be limited, by the name it has in a row: at most so much. */
const LIMITED = [
  'first_held_after_fault_ms',
  'first_held_after_heal_ms',
  'longest_held_gap_ms',
  'errors_a_user_may_see',
  'backlog_zero_after_heal_ms',
  'gate_back_after_heal_ms',
  'longest_pool_wait_ms',
  'p99_fault_ms',
  'p99_after_act_ms',
  'lost',
] as const;

export type ObjectiveName = (typeof LIMITED)[number];

/** What a drill is held to. */
export interface Objectives {
  /** Why these figures, where they are not the usual ones. */
  why?: string;
  limits: Partial<Record<ObjectiveName, number>>;
}

/** One objective beside what was measured. */
export interface Attainment {
  name: ObjectiveName;
  limit: number;
  /** Null: it never came. */
  measured: number | null;
  met: boolean;
}

/** Reads `drills/<name>.json`. Throws an Error that names the file and everything that is wrong in it. */
export function readObjectives(name: string): Objectives {
  const file = `drills/${name}.json`;
  return parseObjectives(readFileSync(new URL(file, import.meta.url), 'utf8'), file);
}

/** Reads the text of such a file. */
export function parseObjectives(text: string, file: string): Objectives {
  const content: unknown = JSON.parse(text);
  if (typeof content !== 'object' || content === null) throw new Error(`${file}: no object`);
  const { why, ...limits } = content as Record<string, unknown>;
  const wrong = Object.entries(limits).flatMap(([key, value]) => {
    if (!LIMITED.some((known) => known === key)) return [`${key} is unknown`];
    return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? [] : [`${key} is no whole number`];
  });
  if (why !== undefined && typeof why !== 'string') wrong.push('why is no text');
  if (limits.lost !== 0) wrong.push('lost is 0 in every drill');
  if (wrong.length > 0) throw new Error(`${file}: ${wrong.join('; ')}`);
  return { ...(typeof why === 'string' && { why }), limits: limits as Objectives['limits'] };
}

/** Each objective beside its measurement, in the order of the list above. */
export function attainments({ limits }: Objectives, row: DrillRow): Attainment[] {
  return LIMITED.flatMap((name) => {
    const limit = limits[name];
    if (limit === undefined) return [];
    const measured = name === 'errors_a_user_may_see' ? row.errors : row[name];
    return [{ name, limit, measured, met: measured !== null && measured <= limit }];
  });
}

/** A sentence for each objective that was not met. */
export function missed(all: readonly Attainment[]): string[] {
  return all
    .filter(({ met }) => !met)
    .map(({ name, limit, measured }) => `${name} is ${measured ?? 'never'}, the objective is ${limit}`);
}
