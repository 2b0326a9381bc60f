import type { Command } from 'commander';
import { listReleases } from '../../app/list-releases.js';
import { readDuration, readId } from '../../domain/typed.js';
import type { Session } from '../session.js';
import { UsageError } from '../usage-error.js';
import { releaseJson } from './release-json.js';
import { releasesTable } from './release-table.js';

interface ReleasesTyped {
  store?: string;
  within: string;
}

const examples = `
Examples:
  holdfast releases                             what opens within a day, and what has just opened
  holdfast releases --store kiln --within 2h
  holdfast releases --json | jq '.releases[] | select(.warnings != [])'

A gate is warmed up in the minute before its sale; until then it is cold, and that is no fault. What looks wrong stands
in the last column: paused, no units, none free, a gate that is cold a minute before the opening.`;

/** `holdfast releases`: what opens when. */
export function addReleasesCommand(program: Command, session: Session): void {
  program
    .command('releases')
    .description('what opens when, and whether all is ready for it')
    .option('--store <id>', 'only of this store')
    .option('--within <duration>', 'openings from now on, as in 2h or 7d', '24h')
    .addHelpText('after', examples)
    .action((typed: ReleasesTyped) => releases(session, typed));
}

async function releases(session: Session, typed: ReleasesTyped): Promise<void> {
  const problems: string[] = [];
  const storeId = readId('--store', typed.store, problems);
  const withinSeconds = readDuration('--within', typed.within, problems);
  if (problems.length > 0 || withinSeconds === undefined) throw new UsageError(problems);
  const seen = await listReleases(session.gateway(), { withinSeconds, ...(storeId !== undefined && { storeId }) });
  session.show({ releases: seen.map(releaseJson) }, (paint) => releasesTable(seen, paint));
}
