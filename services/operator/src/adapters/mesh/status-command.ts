import type { Command } from 'commander';
import type { MeshStatus } from '../../domain/mesh.js';
import { concernsOf } from '../../domain/mesh-verdict.js';
import type { Session } from '../session.js';
import { watchOn } from '../watching.js';
import { meshJson } from './mesh-json.js';
import { meshFacts, meshTable } from './mesh-table.js';

const examples = `
Examples:
  holdfast status
  holdfast status --watch                       drawn again every second; Ctrl-C ends it
  holdfast status --watch | tee sale.log        a line for each change
  holdfast status --json | jq -e .well          fails unless all is well

  path        which way a sku without a switch of its own takes now: through redis or straight to postgres, by stream or
              by direct calls
  breakers    closed: calls go through; open: the gate, or the stream, is gone round until it answers again
  journal     claims that the ledger has not decided yet, and how old the oldest is
  lag         claims in the stream that nobody has taken yet
  outbox      events that are not published yet, and how old the oldest is; without NATS nobody waits for them
  pool waits  callers who wait for a connection to Postgres now, and the longest wait since the process began

The last line says that all is well, or what to look at next. Exit code 0 when the mesh could be asked, however it is;
3 when no gateway answers.`;

/** `holdfast status`: everything at a glance. */
export function addStatusCommand(program: Command, session: Session): void {
  program
    .command('status')
    .description('every process, switches that are set, open alerts, and what to look at next')
    .option('--watch', 'again every second, until Ctrl-C')
    .addHelpText('after', examples)
    .action(({ watch }: { watch?: boolean }) => status(session, watch ?? false));
}

async function status(session: Session, watch: boolean): Promise<void> {
  const { mesh } = session.gateway();
  const look = (): Promise<MeshStatus> => mesh.getStatus();
  if (watch) {
    await watchOn(session, {
      look,
      json: (seen) => meshJson(seen, concernsOf(seen, new Date())),
      text: (seen, paint) => meshTable(seen, concernsOf(seen, new Date()), paint, new Date()),
      facts: (seen) => meshFacts(seen, new Date()),
    });
    return;
  }
  const seen = await look();
  const now = new Date();
  const concerns = concernsOf(seen, now);
  session.show(meshJson(seen, concerns), (paint) => meshTable(seen, concerns, paint, now));
}
