import { Mesh } from './model/mesh.js';
import { sweep, sync } from './model/sweep.js';
import { Violation } from './model/witness.js';
import type { Rule } from './planted.js';
import { Random } from './random.js';
import { drawSetup, type Setup } from './setup.js';
import { drawSteps, type Step, take } from './steps.js';

export interface Schedule {
  readonly setup: Setup;
  readonly steps: readonly Step[];
}

export interface Broken {
  readonly law: string;
  readonly what: string;
}

/** At rest within so many rounds, or never. */
const ROUNDS_TO_REST = 60;
const ROUND_MS = 1100;
const RESTOCK = 3;
const MOVES_OF_A_ROUND = 5_000;

export function scheduleOf(seed: number): Schedule {
  const random = new Random(seed);
  const setup = drawSetup(random);
  return { setup, steps: drawSteps(random, setup) };
}

/** Runs one schedule, heals all faults and lets everything come to rest. Undefined: every law held after every step. */
export function runSchedule(
  { setup, steps }: Schedule,
  rules: ReadonlySet<Rule>,
  note?: (text: string) => void,
): Broken | undefined {
  const mesh = new Mesh(
    setup,
    rules,
    note && ((text) => note(`${String(mesh.world.nowMs - 100_000).padStart(6)} ms  ${text}`)),
  );
  try {
    for (const step of steps) take(mesh, step);
    heal(mesh);
    rest(mesh);
    mesh.witness.atRest(mesh.captured);
    if (setup.isAskedAgain) {
      askAgain(mesh);
      comeNow(mesh);
    }
    return undefined;
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    note?.(error.message);
    return { law: error.law, what: error.message };
  }
}

function heal(mesh: Mesh): void {
  mesh.world.note?.('all faults heal');
  mesh.switches = [];
  for (const process of mesh.processes) {
    process.cutFrom.clear();
    process.isStalled = false;
  }
  for (const inventory of mesh.inventories) {
    Object.assign(inventory.open, { gate: false, stream: false });
    inventory.seeSwitches();
  }
  for (const { skuId, paused, capacity } of mesh.ledger.skus.values()) {
    if (paused) mesh.ledger.setPaused(skuId, false);
    // Whatever is still under way finds units.
    if (mesh.setup.isRestocked) mesh.ledger.setCapacity(skuId, capacity + RESTOCK);
  }
  mesh.world.count += 1;
  mesh.witness.look();
  while (mesh.world.late.length > 0) mesh.world.arrive(0);
}

/** Everything moves, time passes, and whoever has no answer asks again, until nothing is left to do. */
function rest(mesh: Mesh): void {
  for (let round = 0; round < ROUNDS_TO_REST; round += 1) {
    moveAll(mesh);
    if (isAtRest(mesh)) return;
    for (const message of mesh.stream.messages) mesh.orders[round % 2]?.deliver(message);
    for (const captured of mesh.captured) if (!captured.isAcked) mesh.sendPayment(captured, round);
    mesh.orders[round % 2]?.expire();
    moveAll(mesh);
    for (const inventory of mesh.inventories) inventory.parked.stir();
    tend(mesh, mesh.inventories[round % mesh.inventories.length]);
    moveAll(mesh);
    mesh.world.pass(ROUND_MS);
    for (const person of mesh.people)
      if (person.waitingFor === 0 && !mesh.witness.isAnswered(person))
        mesh.ask(person, { gateway: round, inventory: round, otherLines: false });
  }
  throw new Violation(
    'REST',
    `not at rest ${(ROUNDS_TO_REST * ROUND_MS) / 1000} s after all faults healed: ${whatIsLeft(mesh)}`,
  );
}

function tend(mesh: Mesh, inventory: Mesh['inventories'][number] | undefined): void {
  if (!inventory) return;
  const { process } = inventory;
  mesh.world.spawn(process, 'sweeping', sweep(mesh));
  mesh.world.spawn(process, 'syncing', sync(mesh));
  mesh.world.spawn(process, 'polling', inventory.poll());
  mesh.world.spawn(process, 'looking', inventory.look());
}

function moveAll({ world }: Mesh): void {
  for (let moves = 0; world.tasks.length > 0 && moves < MOVES_OF_A_ROUND; moves += 1)
    world.move(moves % world.tasks.length, 'DONE');
}

function isAtRest(mesh: Mesh): boolean {
  return whatIsLeft(mesh) === '';
}

/** In words; empty: nothing. */
function whatIsLeft({ world, stream, redis, people, witness, inventories, ledger, captured }: Mesh): string {
  const left: string[] = [];
  if (world.tasks.length > 0) left.push(`${world.tasks.length} tasks`);
  if (stream.messages.length > 0) left.push(`${stream.messages.length} messages`);
  if (redis.keys.promised.size > 0) left.push(`${redis.keys.promised.size} promises`);
  for (const [skuId, { claims, letIn, undecided }] of redis.keys.gates) {
    const free = ledger.skus.get(skuId)?.free;
    if (claims.size > 0 || undecided !== 0)
      left.push(`${claims.size} claims of ${undecided} units in the journal of ${skuId}`);
    if (letIn !== free) left.push(`the gate of ${skuId} lets ${letIn} in, the ledger has ${free}`);
  }
  const unanswered = people.filter((person) => person.waitingFor > 0 || !witness.isAnswered(person));
  if (unanswered.length > 0) left.push(`no answer for ${unanswered.map(({ name }) => name).join(', ')}`);
  for (const { process, waiting, parked } of inventories)
    if (waiting.size > 0 || parked.size > 0)
      left.push(`${waiting.size} undecided and ${parked.size} lines in ${process.name}`);
  if (captured.some(({ isAcked }) => !isAcked)) left.push('payments that nobody recorded');
  return left.join('; ');
}

/** Whoever was answered asks once more, elsewhere: what they hear must agree with what they heard. */
function askAgain(mesh: Mesh): void {
  for (const [i, person] of mesh.people.entries())
    mesh.ask(person, { gateway: i + 1, inventory: i + 1, otherLines: false });
  rest(mesh);
}

/** Whoever comes now for what is free gets it, and whoever comes for more hears no. */
function comeNow(mesh: Mesh): void {
  for (const [i, { skuId, free }] of [...mesh.ledger.skus.values()].entries()) {
    const units = mesh.setup.capacities.map((_, sku) => (sku === i ? 1 : 0));
    const person = mesh.addPerson({ units, otherUnits: undefined });
    mesh.ask(person, { gateway: i, inventory: i, otherLines: false });
    rest(mesh);
    if (mesh.witness.hasYes(person) !== free > 0)
      throw new Violation('REST', `${skuId} has ${free} free and ${person.name} was told ${free > 0 ? 'no' : 'yes'}`);
  }
}
