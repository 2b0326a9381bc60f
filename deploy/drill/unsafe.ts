import type { Stage } from './stage.js';

/**
 * Rewrites one place in a function of the ledger, so that it lacks a protection. Throws where the place is not there
 * exactly once: a twin that keeps its protection proves nothing.
 */
export async function rewriteFunction(
  { sql }: Pick<Stage, 'sql'>,
  name: string,
  safe: string,
  unsafe: string,
): Promise<void> {
  const [row] = await sql<{ definition: string }>(
    "SELECT pg_get_functiondef(oid) AS definition FROM pg_proc WHERE pronamespace = 'ledger'::regnamespace AND proname = $1",
    [name],
  );
  await sql(rewritten(row?.definition ?? '', safe, unsafe));
}

/** The text with the one place replaced. */
export function rewritten(definition: string, safe: string, unsafe: string): string {
  const pieces = definition.split(safe);
  if (pieces.length !== 2) throw new Error(`"${safe}" is there ${pieces.length - 1} times, not once`);
  return pieces.join(unsafe);
}

/**
 * Settings with which every service loads `module` (its path under dist) with one export replaced by what the file in
 * `unsafe/` makes of it.
 */
export function wrapping(module: string, name: string, by: string): Record<string, string> {
  const preload = new URL('./unsafe/preload.js', import.meta.url);
  preload.searchParams.set('module', new URL(`../../${module}`, import.meta.url).href);
  preload.searchParams.set('name', name);
  preload.searchParams.set('by', new URL(`./unsafe/${by}`, import.meta.url).href);
  return { NODE_OPTIONS: `--import=${preload.href}` };
}
