import type { Command } from 'commander';
import { collectPages } from '../../app/collect-pages.js';
import { findScope, SwitchChanged, setSwitch } from '../../app/set-switch.js';
import { showSwitches } from '../../app/show-switches.js';
import { readScope, readSwitchChange, type TypedScope, type TypedSwitchChange } from '../../domain/switch-change.js';
import { type Setting, type Switch, wholeMesh } from '../../domain/switches.js';
import { readNumber } from '../../domain/typed.js';
import { CommandFailed } from '../failure.js';
import { noSkus } from '../no-skus.js';
import type { Session } from '../session.js';
import { instantText } from '../time-text.js';
import { UsageError } from '../usage-error.js';
import { historyJson, switchesJson, switchJson } from './switch-json.js';
import { historyTable, switchesTable, switchTable } from './switch-table.js';

const getExamples = `
Examples:
  holdfast switch get                           every switch
  holdfast switch get --sku kiln-mug            those that bear on one sku, and which of them decides
  holdfast switch get --json | jq -r .stock_path

The narrowest switch that is not auto decides: the sku's, else the store's, else that of every store. Where none is set,
each process decides by its breakers.`;

const setExamples = `
Examples:
  holdfast switch set postgres --for 10m --reason "Redis is being upgraded"
  holdfast switch set postgres --store kiln --reason "its gate drifts"
  holdfast switch set redis --store kiln --sku kiln-mug --reason "the ledger must be spared"
  holdfast switch set auto --reason "upgrade is done"

  auto      through the gate in Redis; straight to Postgres while the breaker is open
  redis     through the gate, whatever happens to it: while it fails, buyers get UNAVAILABLE and may retry
  postgres  straight to the ledger: the same answers, fewer of them a second

Safe at any moment with orders in flight. Processes follow within a second. The version is read first, so that a change
of somebody else is not undone unseen; --expect takes the one that you have read.`;

const orderExamples = `
Examples:
  holdfast switch set-order direct --for 30m --reason "NATS is being moved"
  holdfast switch set-order auto --reason "NATS is back"

  auto      by the stream; by direct calls while its breaker is open
  stream    by the stream, whatever happens to it: while it fails, buyers get UNAVAILABLE and may retry
  direct    by direct calls: the same answers, fewer of them a second

It is one switch for every store.`;

const historyExamples = `
Examples:
  holdfast switch history                       the last 50 changes
  holdfast switch history --sku kiln-mug --limit 5
  holdfast switch history --json | jq -r '.changes[] | [.changed_at, .changed_by, .reason] | @tsv'

Everything that operators changed, not switches alone: who, when, why. The newest stands first.`;

/** `holdfast switch …`: which way orders take. */
export function addSwitchCommands(program: Command, session: Session): void {
  const group = program.command('switch').description('which way orders take, and who says so');
  addSet(group, session);
  group
    .command('get')
    .description('shows the switches, and which of them decide')
    .option('--store <id>', 'only what bears on this store')
    .option('--sku <id>', 'only what bears on this sku')
    .addHelpText('after', getExamples)
    .action((typed: TypedScope) => get(session, typed));
  group
    .command('history')
    .description('what operators changed: who, when, why')
    .option('--store <id>', 'only of this store')
    .option('--sku <id>', 'only of this sku')
    .option('--limit <n>', 'so many, 1 to 10000', '50')
    .addHelpText('after', historyExamples)
    .action((typed: TypedScope & { limit: string }) => history(session, typed));
}

function addSet(group: Command, session: Session): void {
  group
    .command('set')
    .description('says how orders reach the ledger: of everything, a store, or a sku')
    .argument('<path>', 'auto, redis or postgres')
    .option('--store <id>', 'only this store')
    .option('--sku <id>', 'only this sku; its store is looked up unless --store names it')
    .option('--reason <why>', 'why; needed')
    .option('--for <duration>', 'back to auto after so long, as in 30s, 10m or 2h')
    .option('--expect <version>', 'only over this version; 0: it was never set')
    .addHelpText('after', setExamples)
    .action((path: string, typed: Omit<TypedSwitchChange, 'path'>) => set(session, 'stock_path', { ...typed, path }));
  group
    .command('set-order')
    .description('says how orders are carried, of everything')
    .argument('<path>', 'auto, stream or direct')
    .option('--reason <why>', 'why; needed')
    .option('--for <duration>', 'back to auto after so long, as in 30s, 10m or 2h')
    .option('--expect <version>', 'only over this version; 0: it was never set')
    .addHelpText('after', orderExamples)
    .action((path: string, typed: Omit<TypedSwitchChange, 'path'>) => set(session, 'order_path', { ...typed, path }));
}

async function get(session: Session, typed: TypedScope): Promise<void> {
  const problems: string[] = [];
  const scope = readScope(typed, problems);
  if (problems.length > 0) throw new UsageError(problems);
  const now = new Date();
  const shown = await showSwitches(session.gateway(), scope, now);
  session.show(switchesJson(shown), (paint) => switchesTable(shown, paint, now));
}

async function set(session: Session, of: Setting['of'], typed: TypedSwitchChange): Promise<void> {
  const read = readSwitchChange(of, typed);
  if ('problems' in read) throw new UsageError(read.problems);
  try {
    const { now, hasNoSkus } = await setSwitch(session.gateway(), read.change);
    session.show({ switch: switchJson(now) }, (paint) => switchTable([now], paint, new Date()));
    if (hasNoSkus) session.screen.warn(noSkus(now.scope.storeId));
  } catch (error) {
    throw error instanceof SwitchChanged ? changedMeanwhile(error, of) : error;
  }
}

function changedMeanwhile({ now, fault }: SwitchChanged, of: Setting['of']): CommandFailed {
  const again = of === 'stock_path' ? 'switch set' : 'switch set-order';
  const advice = `nothing was changed; look with holdfast switch get, then holdfast ${again} again if it is still right`;
  return new CommandFailed('SWITCH_CHANGED', [now === undefined ? bareChange(fault.metadata) : changeOf(now)], advice);
}

function changeOf({ setting, setBy, setAt, reason, version }: Switch): string {
  const why = reason === '' ? 'without a reason' : `because ${JSON.stringify(reason)}`;
  return `${setBy} has set it to ${setting.path} at ${instantText(setAt)}, ${why}: it is version ${version} now`;
}

function bareChange({ set_by: setBy = 'somebody', version = '?' }: Readonly<Record<string, string>>): string {
  return `${setBy} has changed it: it is version ${version} now`;
}

async function history(
  session: Session,
  { limit: typedLimit, ...typed }: TypedScope & { limit: string },
): Promise<void> {
  const problems: string[] = [];
  const wanted = readScope(typed, problems);
  const limit = readNumber({ name: '--limit', text: typedLimit, low: 1, high: 10_000 }, problems);
  if (problems.length > 0 || limit === undefined) throw new UsageError(problems);
  const gateway = session.gateway();
  const scope = await findScope(gateway, wanted);
  const of = scope.kind === wholeMesh.kind ? undefined : scope;
  const { items, isMore } = await collectPages((size, token) => gateway.switches.listChanges(of, size, token), limit);
  session.show(historyJson(items, isMore), () => historyTable(items, isMore));
}
