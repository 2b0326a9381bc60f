import type { Command } from 'commander';
import { collectPages } from '../../app/collect-pages.js';
import {
  type EndpointTyped,
  readDeliveries,
  readEndpoint,
  readEndpointId,
  readEndpointPause,
  readReplay,
  type WebhookEndpoint,
} from '../../domain/webhook.js';
import { CommandFailed } from '../failure.js';
import type { Session } from '../session.js';
import { UsageError } from '../usage-error.js';
import { deliveriesTable, deliveryJson, endpointJson, endpointsTable, secretText, testText } from './webhook-text.js';

const mostEndpoints = 10_000;

/** By command; each begins with its name. */
const examples: Readonly<Record<string, string>> = {
  add: `holdfast webhook add --store store-1 --url https://shop.example/hooks --events order.confirmed,waitlist.*`,
  list: `holdfast webhook list --store store-1`,
  deliveries: `holdfast webhook deliveries whe_1 --state failed --since 2d`,
  replay: `holdfast webhook replay whe_1 --failed-since 2d      all that failed, in their order
  holdfast webhook replay whe_1 --event 4711           one, whatever became of it`,
  rotate: `holdfast webhook rotate whe_1                        for a day both secrets sign`,
  pause: `holdfast webhook pause whe_1 --reason "they move"`,
  resume: `holdfast webhook resume whe_1                        also one that was disabled`,
  remove: `holdfast webhook remove whe_1`,
  test: `holdfast webhook test whe_1                          past what waits`,
};

/** `holdfast webhook …`: where events of stores go. */
export function addWebhookCommands(program: Command, session: Session): void {
  const group = program.command('webhook').description('where events of stores are sent');
  group
    .command('add')
    .description('adds an endpoint and shows its secret, this once')
    .option('--store <store>', 'whose events; needed')
    .option('--url <url>', 'where they go; needed')
    .option('--events <types>', 'such as order.confirmed,waitlist.*; all where it is left out')
    .action((typed: EndpointTyped) => add(session, typed));
  group
    .command('list')
    .description('endpoints, and whether they work')
    .option('--store <store>', 'only those of a store')
    .action(({ store = '' }: { store?: string }) => list(session, store));
  group
    .command('deliveries')
    .description('events of an endpoint, the newest first')
    .argument('<endpoint>', 'its id')
    .option('--state <state>', 'only those that are due, delivered or failed')
    .option('--since <ago>', 'only those of the last 2h, 3d, …')
    .option('--limit <n>', 'so many, 1 to 10000', '50')
    .action((id: string, typed: { state?: string; since?: string; limit: string }) => deliveries(session, id, typed));
  group
    .command('replay')
    .description('sends events again, under their ids')
    .argument('<endpoint>', 'its id')
    .option('--event <id>', 'this one')
    .option('--failed-since <ago>', 'all that failed in the last 2h, 3d, …')
    .action((id: string, typed: { event?: string; failedSince?: string }) => replay(session, id, typed));
  addEndpointVerbs(group, session);
  for (const command of group.commands) {
    command.addHelpText('after', `\nExample:\n  ${examples[command.name()] ?? ''}`);
  }
}

function addEndpointVerbs(group: Command, session: Session): void {
  const verb = (name: string, does: string) => group.command(name).description(does).argument('<endpoint>', 'its id');
  verb('rotate', 'gives it a new secret and shows it, this once').action((id: string) => rotate(session, id));
  verb('pause', 'sends nothing; what happens meanwhile waits')
    .option('--reason <why>', 'why; needed')
    .action((id: string, { reason }: { reason?: string }) => pause(session, id, reason));
  verb('resume', 'sends again, first what waits').action(async (id: string) => {
    show(session, await session.gateway().webhooks.resumeEndpoint(endpointIdOf(id)));
  });
  verb('remove', 'takes it away, with its deliveries').action(async (id: string) => {
    const endpointId = endpointIdOf(id);
    await session.gateway().webhooks.removeEndpoint(endpointId);
    session.show({ removed: endpointId }, () => `${endpointId} is gone`);
  });
  verb('test', 'sends it an event of type test now').action((id: string) => tryOut(session, id));
}

async function add(session: Session, typed: EndpointTyped): Promise<void> {
  const added = await session.gateway().webhooks.addEndpoint(sure(readEndpoint(typed)));
  showSecret(session, added);
}

async function rotate(session: Session, id: string): Promise<void> {
  showSecret(session, await session.gateway().webhooks.rotateSecret(endpointIdOf(id)));
}

async function list(session: Session, storeId: string): Promise<void> {
  const { webhooks } = session.gateway();
  const read = (size: number, token: string) => webhooks.listEndpoints(storeId, size, token);
  const { items } = await collectPages(read, mostEndpoints);
  session.show({ endpoints: items.map(endpointJson) }, (paint) => endpointsTable(items, paint));
}

async function deliveries(session: Session, id: string, typed: Parameters<typeof readDeliveries>[1]): Promise<void> {
  const wanted = sure(readDeliveries(id, typed, new Date()));
  const { webhooks } = session.gateway();
  const read = (size: number, token: string) => webhooks.listDeliveries(wanted, size, token);
  const { items, isMore } = await collectPages(read, wanted.limit);
  const document = { deliveries: items.map(deliveryJson), is_more: isMore };
  session.show(document, (paint) => deliveriesTable(items, paint));
}

async function replay(session: Session, id: string, typed: Parameters<typeof readReplay>[1]): Promise<void> {
  const which = sure(readReplay(id, typed, new Date()));
  const replayed = await session.gateway().webhooks.replay(which);
  if (replayed === 0 && which.eventId !== '') throw noSuchEvent(which);
  session.show({ replayed }, () => (replayed === 1 ? '1 event is sent again' : `${replayed} events are sent again`));
}

function noSuchEvent({ endpointId, eventId }: { endpointId: string; eventId: string }): CommandFailed {
  const advice = `holdfast webhook deliveries ${endpointId} lists those that can be sent again`;
  return new CommandFailed('WEBHOOK_EVENT_NOT_FOUND', [`endpoint ${endpointId} has no event ${eventId}`], advice);
}

async function tryOut(session: Session, id: string): Promise<void> {
  const came = await session.gateway().webhooks.test(endpointIdOf(id));
  const { delivered, status, error, tookMs } = came;
  session.show({ delivered, status, error, took_ms: tookMs }, () => testText(came));
  if (!delivered) throw new CommandFailed('WEBHOOK_NOT_ACCEPTED', ['the test was not accepted']);
}

async function pause(session: Session, id: string, typedReason: string | undefined): Promise<void> {
  const { endpointId, reason } = sure(readEndpointPause(id, typedReason));
  show(session, await session.gateway().webhooks.pauseEndpoint(endpointId, reason));
}

function endpointIdOf(typed: string): string {
  return sure(readEndpointId(typed)).endpointId;
}

function sure<Value extends object>(read: Value | { problems: string[] }): Value {
  if ('problems' in read) throw new UsageError(read.problems);
  return read;
}

function show(session: Session, endpoint: WebhookEndpoint): void {
  session.show({ endpoint: endpointJson(endpoint) }, (paint) => endpointsTable([endpoint], paint));
}

function showSecret(session: Session, { endpoint, secret }: { endpoint: WebhookEndpoint; secret: string }): void {
  const document = { endpoint: endpointJson(endpoint), secret };
  session.show(document, (paint) => `${endpointsTable([endpoint], paint)}\n${secretText(secret)}`);
}
