import { type Release, warningsOf } from '../domain/release.js';
import { collectPages } from './collect-pages.js';
import type { Gateway } from './ports.js';

const mostReleases = 2_000;

/** Which openings are asked for. */
export interface ReleasesWanted {
  storeId?: string;
  withinSeconds: number;
}

/** A sale that opens, and what looks wrong with it. */
export interface ReleaseSeen extends Release {
  warnings: string[];
}

/** Sales in the order of their openings. */
export async function listReleases(
  { releases, mesh }: Pick<Gateway, 'releases' | 'mesh'>,
  { storeId = '', withinSeconds }: ReleasesWanted,
): Promise<ReleaseSeen[]> {
  const wanted = { storeId, withinHours: Math.ceil(withinSeconds / 3_600) };
  const [{ items }, hasGate] = await Promise.all([
    collectPages((size, token) => releases.listReleases(wanted, size, token), mostReleases),
    knowsGate(mesh),
  ]);
  return items
    .filter(({ units }) => units.opensInMs <= withinSeconds * 1_000)
    .map((release) => ({ ...release, warnings: warningsOf(release, hasGate) }));
}

/** Where there is no gate none is cold. When it cannot be asked there may be one. */
async function knowsGate(mesh: Gateway['mesh']): Promise<boolean> {
  try {
    const stocks = (await mesh.getStatus()).instances.flatMap(({ status }) => status?.stock ?? []);
    return stocks.length === 0 || stocks.some(({ gateBreaker }) => gateBreaker !== 'none');
  } catch {
    return true;
  }
}
