import { hasStream, type MeshInstance, type MeshStatus } from './mesh.js';
import { isSet, scopeWords } from './switches.js';

/** Something to look at, and the command that looks. */
export interface Concern {
  text: string;
  command: string;
}

/** Longer than this a queue is behind, not merely in use. */
const behindMs = 5_000;

/** What an operator should look at, the most urgent first; empty: all is well. */
export function concernsOf({ instances, switches, openAlerts }: MeshStatus, now: Date): Concern[] {
  return [
    ...instances.flatMap(away),
    ...alertConcerns(openAlerts),
    ...instances.flatMap(silentServers),
    ...instances.flatMap(openBreakers),
    ...instances.flatMap(lateNews),
    ...instances.flatMap(waitsForConnections),
    ...switches
      .filter((candidate) => isSet(candidate, now))
      .map(({ scope, setting, setBy }) => ({
        text: `${setBy} has set ${scopeWords(scope)} to ${setting.path}`,
        command: 'holdfast switch get',
      })),
  ];
}

function away({ service, address, status, problem }: MeshInstance): Concern[] {
  if (status !== undefined) return [];
  const why = problem === '' ? '' : ` (${problem})`;
  return [
    { text: `${service} at ${address} is away${why}: see its log, start it again`, command: 'holdfast status --watch' },
  ];
}

function alertConcerns(open: MeshStatus['openAlerts']): Concern[] {
  const kinds = Object.entries(open).filter(([, count]) => count > 0);
  if (kinds.length === 0) return [];
  const total = kinds.reduce((sum, [, count]) => sum + count, 0);
  const words = kinds.map(([kind, count]) => `${count} ${kind}`).join(', ');
  return [
    { text: `${total === 1 ? 'an alert is' : `${total} alerts are`} open: ${words}`, command: 'holdfast alerts' },
  ];
}

function silentServers({ service, status }: MeshInstance): Concern[] {
  const silent = status?.servers.filter(({ answers }) => !answers) ?? [];
  const whose = status?.instance === '' ? service : (status?.instance ?? service);
  return silent.map(({ name }) => ({
    text: `${name} does not answer ${whose}: see that it runs and can be reached`,
    command: 'holdfast status --watch',
  }));
}

function openBreakers({ status }: MeshInstance): Concern[] {
  const { gateBreaker, streamBreaker } = status?.stock ?? { gateBreaker: 'none', streamBreaker: 'none' };
  const round = [
    ...(gateBreaker === 'open' || gateBreaker === 'half_open' ? ['the gate'] : []),
    ...(streamBreaker === 'open' || streamBreaker === 'half_open' ? ['the stream'] : []),
  ];
  if (round.length === 0) return [];
  const text = `${status?.instance} goes round ${round.join(' and ')}: it sells on, and comes back by itself`;
  return [{ text, command: 'holdfast status --watch' }];
}

function lateNews({ status }: MeshInstance): Concern[] {
  const { outboxOldestMs, deadLetters } = status?.orders ?? { outboxOldestMs: 0, deadLetters: 0 };
  return [
    ...(status !== undefined && hasStream(status) && outboxOldestMs > behindMs
      ? [{ text: `events of ${status?.instance} are published late`, command: 'holdfast alerts' }]
      : []),
    ...(deadLetters > 0
      ? [{ text: `${deadLetters} dead letters wait for somebody`, command: 'holdfast dead-letters list' }]
      : []),
  ];
}

function waitsForConnections({ status }: MeshInstance): Concern[] {
  const waiting = status?.pools.reduce((sum, pool) => sum + pool.waiting, 0) ?? 0;
  if (waiting === 0) return [];
  return [
    {
      text: `${waiting} callers wait for a connection in ${status?.instance}: is Postgres slow, or a limit too high?`,
      command: 'holdfast status --watch',
    },
  ];
}
