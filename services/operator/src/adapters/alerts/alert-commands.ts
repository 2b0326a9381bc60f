import type { Command } from 'commander';
import { collectPages } from '../../app/collect-pages.js';
import type { Alert } from '../../domain/alert.js';
import { readDeed } from '../../domain/deed.js';
import type { Session } from '../session.js';
import { UsageError } from '../usage-error.js';
import { watchOn } from '../watching.js';
import { alertJson } from './alert-json.js';
import { alertFacts, alertRows, alertsTable } from './alert-table.js';

const mostAlerts = 1_000;

interface AlertsTyped {
  watch?: boolean;
  all?: boolean;
}

const examples = `
Examples:
  holdfast alerts                               those that are open, each with the command that looks closer
  holdfast alerts --all                         also those that were cleared
  holdfast alerts --watch                       drawn again every second; Ctrl-C ends it
  holdfast alerts --json | jq -r '.alerts[].kind'

  OVERSOLD           more units are held and sold than there are
  DRIFT              figures that should agree do not
  MONEY_UNACCOUNTED  captured money that pays for nothing
  DEAD_LETTER        a message that nobody could process
  STALLED_CONSUMER   claims wait and nobody takes them
  BREAKER_OPEN       a process has gone round the gate or the stream for over 30 s
  EXPIRY_LATE        holds are past their expiry for over 5 s
  OUTBOX_LATE        events are unpublished for over 5 s
  WEBHOOK_DISABLED   an endpoint of a store failed for days, or is gone: holdfast webhook list

An alert clears itself when its cause is gone. Exit code 0 when the alerts could be read, also when some are open.`;

const clearExamples = `
Example:
  holdfast alerts clear 12 --reason "the letter was answered by mail"

Says that somebody has seen to it. It comes back when its cause does.`;

/** `holdfast alerts …`: what a person should look at. */
export function addAlertCommands(program: Command, session: Session): void {
  const group = program
    .command('alerts')
    .description('what a person should look at, with the command that looks closer')
    .option('--watch', 'again every second, until Ctrl-C')
    .option('--all', 'also those that were cleared')
    .addHelpText('after', examples)
    .action((typed: AlertsTyped) => alerts(session, typed));
  group
    .command('clear')
    .description('says that somebody has seen to it')
    .argument('<alert>', 'its number')
    .option('--reason <why>', 'why; needed')
    .addHelpText('after', clearExamples)
    .action((number: string, { reason }: { reason?: string }) => clear(session, number, reason));
}

async function alerts(session: Session, { watch = false, all = false }: AlertsTyped): Promise<void> {
  const port = session.gateway().alerts;
  const look = async (): Promise<Alert[]> => {
    const read = (size: number, token: string) => port.listAlerts(all, size, token);
    return (await collectPages(read, mostAlerts)).items;
  };
  const json = (seen: readonly Alert[]): object => ({ alerts: seen.map(alertJson) });
  if (watch) {
    await watchOn(session, { look, json, text: alertsTable, facts: alertFacts });
    return;
  }
  const seen = await look();
  session.show(json(seen), (paint) => alertsTable(seen, paint));
}

async function clear(session: Session, number: string, reason: string | undefined): Promise<void> {
  const read = readDeed({ name: 'ALERT', number, reason });
  if ('problems' in read) throw new UsageError(read.problems);
  const cleared = await session.gateway().alerts.clearAlert(read.number, read.reason);
  session.show({ alert: alertJson(cleared) }, (paint) => alertRows([cleared], paint));
}
