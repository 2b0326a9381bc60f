import type { Mesh } from './model/mesh.js';
import { sweep, sync } from './model/sweep.js';
import type { Fate } from './model/world.js';
import type { Random } from './random.js';
import type { Setup } from './setup.js';

/**
 * One step of a schedule as a number below 2^24: what happens (8 bits), to whom (8) and how (8). Every number means
 * something in every state, so that a schedule from which steps were taken is a schedule too. 0: nothing happens.
 */
export type Step = number;

export const STEPS = 2 ** 24;
const STEPS_OF_A_SCHEDULE = 220;

interface Kind {
  readonly weight: number;
  /** In a storm, when marks and units come and go while many ask for the same. */
  readonly storm: number;
  act(mesh: Mesh, who: number, how: number): void;
}

/** How much time a step lets pass. */
const TIMES_MS = [1, 1, 5, 20, 20, 60, 60, 150, 150, 300, 550, 1050, 1100, 3000, 4200, 6500];
const MARKS_ARE_OLD_MS = 6100;
const MOST_STEPS_AT_ONCE = 12;
/** So many of the kinds are what every schedule is made of. */
const ALWAYS = 6;

const kinds: readonly Kind[] = [
  { weight: 1, storm: 1, act: () => undefined },
  { weight: 100, storm: 40, act: (mesh, who, how) => mesh.world.move(of(mesh.world.tasks, who), fateOf(mesh, how)) },
  {
    weight: 44,
    storm: 50,
    act: (mesh, who, how) => mesh.world.run(of(mesh.world.tasks, who), 1 + (how % MOST_STEPS_AT_ONCE)),
  },
  { weight: 28, storm: 36, act: askSomething },
  { weight: 18, storm: 3, act: deliver },
  { weight: 16, storm: 8, act: (mesh, _, how) => pass(mesh, TIMES_MS[how % TIMES_MS.length] ?? 1) },
  { weight: 8, storm: 10, act: (mesh, who) => at(mesh.inventories, who).parked.stir() },
  {
    weight: 4,
    storm: 2,
    act: (mesh, who) => spawnAt(mesh, who, 'looking for decisions', at(mesh.inventories, who).look()),
  },
  {
    weight: 4,
    storm: 1,
    act: (mesh, who) => spawnAt(mesh, who, 'polling the stream', at(mesh.inventories, who).poll()),
  },
  { weight: 4, storm: 1, act: (mesh, who) => spawnAt(mesh, who, 'sweeping', sweep(mesh)) },
  { weight: 3, storm: 2, act: (mesh, who) => spawnAt(mesh, who, 'syncing', sync(mesh)) },
  { weight: 3, storm: 0, act: (mesh, who) => at(mesh.inventories, who).goRoundStalledConsumers() },
  { weight: 5, storm: 2, act: (mesh, who) => mesh.world.arrive(of(mesh.world.late, who)) },
  { weight: 4, storm: 1, act: (mesh, who) => at(mesh.orders, who).expire() },
  { weight: 5, storm: 0, act: pay },
  { weight: 3, storm: 0, act: changeOrder },
  { weight: 4, storm: 1, act: turnSwitch },
  { weight: 4, storm: 2, act: (mesh, who) => at(mesh.inventories, who).seeSwitches() },
  { weight: 4, storm: 3, act: turnBreaker },
  { weight: 4, storm: 3, act: cut },
  { weight: 2, storm: 0, act: crash },
  { weight: 3, storm: 2, act: stall },
  { weight: 4, storm: 10, act: loseData },
  { weight: 8, storm: 18, act: changeTerms },
];
/** How often a kind happens in one schedule, by its usual weight: schedules that lack something find what others hide. */
const MOODS = [0, 0.5, 1, 1, 2, 5];

/** Steps mean kinds by number; which kinds are frequent is another draw for each schedule. */
export function drawSteps(random: Random, { isStorm }: Setup): Step[] {
  const table: number[] = [];
  for (const [number, { weight, storm }] of kinds.entries()) {
    const mood = number < ALWAYS ? 1 : (MOODS[random.below(MOODS.length)] ?? 1);
    for (let times = isStorm ? storm : Math.round(weight * mood); times > 0; times -= 1) table.push(number);
  }
  return Array.from({ length: STEPS_OF_A_SCHEDULE }, () => {
    const drawn = random.next();
    return (table[drawn % table.length] ?? 0) + ((random.next() & 0xffff) << 8);
  });
}

export function take(mesh: Mesh, step: Step): void {
  kinds[(step & 255) % kinds.length]?.act(mesh, (step >> 8) & 255, (step >> 16) & 255);
  mesh.world.count += 1;
  mesh.witness.look();
}

function fateOf({ setup }: Mesh, how: number): Fate {
  if (how >= setup.roughness) return 'DONE';
  return (['REPLY_LOST', 'NOT_SENT', 'LATE', 'REPLY_LOST'] as const)[how % 4] ?? 'DONE';
}

function askSomething(mesh: Mesh, who: number, how: number): void {
  // Half of all that is asked is asked by the first two, so that tries of one person meet.
  const person = at(mesh.people, who < 128 ? who % 2 : who);
  const mayAsk =
    person.waitingFor < 3 && (!mesh.witness.isAnswered(person) || how % 4 === 0 || person.waitingFor === 0);
  if (mayAsk) mesh.ask(person, { gateway: how >> 2, inventory: how >> 3, otherLines: how >= 192 });
}

function deliver(mesh: Mesh, who: number, how: number): void {
  const message = mesh.stream.messages[of(mesh.stream.messages, who)];
  if (message) at(mesh.orders, how).deliver(message);
}

function pass(mesh: Mesh, ms: number): void {
  mesh.world.pass(ms);
}

function pay(mesh: Mesh, who: number, how: number): void {
  const unheard = mesh.captured.find(({ isAcked }) => !isAcked);
  const person = at(mesh.people, who);
  if (unheard && how % 2 === 0) mesh.sendPayment(unheard, how);
  else if (mesh.witness.hasYes(person)) mesh.capture(person);
}

function changeOrder(mesh: Mesh, who: number, how: number): void {
  const person = at(mesh.people, who);
  if (!mesh.witness.hasYes(person)) return;
  mesh.world.note?.(`${person.name} ${how % 4 === 0 ? 'comes' : 'cancels'}`);
  if (how % 4 === 0) at(mesh.orders, how).fulfil(person.orderId);
  else at(mesh.orders, how).cancel(person.orderId);
}

/** For everything, for the store or for one sku; a switch may say nothing any more after a while. */
function turnSwitch(mesh: Mesh, who: number, how: number): void {
  const { switches, world } = mesh;
  const name = who % 3 > 0 ? 'STOCK_PATH' : 'ORDER_PATH';
  const kind = name === 'ORDER_PATH' ? 'ALL' : (['ALL', 'STORE', 'SKU'][(how >> 2) % 3] ?? 'ALL');
  const settings =
    name === 'ORDER_PATH' ? (['AUTO', 'DIRECT', 'STREAM'] as const) : (['AUTO', 'POSTGRES', 'REDIS'] as const);
  const setting = settings[how % 3] ?? 'AUTO';
  const scope = { kind, storeId: 'store', skuId: 'a' };
  const until = how >= 192 ? { expiresAt: new Date(world.nowMs + 1000) } : {};
  const others = switches.filter((other) => other.name !== name || other.scope.kind !== kind);
  mesh.switches = [...others, { name, scope, setting, ...until }];
  world.note?.(`${name} is set to ${setting} for ${kind}`);
}

function turnBreaker(mesh: Mesh, who: number, how: number): void {
  const { open, process } = at(mesh.inventories, who);
  const which = how % 2 === 0 ? 'gate' : 'stream';
  open[which] = !open[which];
  mesh.world.note?.(`${process.name}: the breaker of the ${which} is ${open[which] ? 'open' : 'closed'}`);
}

/** A process cannot reach a part, or can again: mostly the second. */
function cut(mesh: Mesh, who: number, how: number): void {
  const { isStorm } = mesh.setup;
  const process = isStorm ? at(mesh.gateways, who).process : at(mesh.processes, who);
  const part = isStorm ? 'REDIS' : ((['REDIS', 'LEDGER', 'STREAM'] as const)[how % 3] ?? 'REDIS');
  if (how >= 144 && process.cutFrom.size === 0) process.cutFrom.add(part);
  else process.cutFrom.clear();
  mesh.world.note?.(`${process.name} is cut from ${[...process.cutFrom].join() || 'nothing'}`);
}

function crash(mesh: Mesh, who: number): void {
  const victim = at([...mesh.gateways, ...mesh.inventories, ...mesh.orders], who);
  mesh.world.note?.(`${victim.process.name} crashes and starts again`);
  victim.crash();
}

function stall(mesh: Mesh, who: number, how: number): void {
  const process = at(mesh.processes, who);
  process.isStalled = how % 2 === 0 && !process.isStalled;
  mesh.world.note?.(`${process.name} ${process.isStalled ? 'stands still' : 'moves'}`);
}

function loseData(mesh: Mesh, who: number, how: number): void {
  const { redis, setup, stream, world } = mesh;
  if (how % 4 === 0) {
    redis.save();
    return;
  }
  if (setup.loser === 'STREAM') {
    if (how % 4 !== 1) return;
    world.note?.('the stream loses its messages');
    stream.messages = [];
    return;
  }
  const what = who % (setup.isStorm ? 2 : 4);
  if (mesh.rules.has('marks-evicted')) redis.evictMarks();
  else if (what === 0) redis.flush();
  else if (what === 1) redis.rewind();
  else redis.loseKey(who >> 2);
  // Long enough for marks to be believed again.
  if (how >= 128) pass(mesh, MARKS_ARE_OLD_MS);
  world.note?.(`Redis ${what === 0 ? 'is emptied' : what === 1 ? 'starts again from an old state' : 'loses keys'}`);
}

function changeTerms({ ledger, world }: Mesh, who: number, how: number): void {
  const stocks = [...ledger.skus.values()];
  const stock = stocks[who % 3 === 0 ? 1 : 0];
  if (!stock) return;
  const taken = stock.held + stock.sold;
  if (how % 4 === 0) ledger.setPaused(stock.skuId, !stock.paused);
  else ledger.setCapacity(stock.skuId, stock.free > 0 ? taken : taken + 1 + (how % 2));
  world.note?.(`${stock.skuId} has capacity ${stock.capacity}${stock.paused ? ', paused' : ''}`);
}

function spawnAt(mesh: Mesh, who: number, name: string, flow: ReturnType<typeof sweep>): void {
  mesh.world.spawn(at(mesh.inventories, who).process, name, flow);
}

function of(items: readonly unknown[], who: number): number {
  return items.length === 0 ? 0 : who % items.length;
}

function at<Item>(items: readonly Item[], who: number): Item {
  return items[of(items, who)] as Item;
}
