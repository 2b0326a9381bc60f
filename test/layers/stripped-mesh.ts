import { randomUUID } from 'node:crypto';
import { InventoryServiceDefinition } from '#libs/contracts/gen/holdfast/inventory/v1/inventory_service.js';
import type { TestLedger } from '#libs/ledger/test-ledger.js';
import { connect } from '#libs/rpc/client.js';
import type { PrivateServer } from '#libs/servers/private-server.js';
import { until } from '#libs/testing/until.js';
import { LedgerReader } from '../../deploy/rush/ledger-reader.js';
import type { Person, Scenario } from '../../deploy/rush/scenario.js';
import { judge, type Verdict } from '../../deploy/rush/verdict.js';
import { type Door, gatewayDoor, inventoryDoor } from '../doors.js';
import { JournalReader } from '../journal-reader.js';
import { type TestServers, TestServices } from '../test-services.js';
import { Victim } from '../victim.js';
import { type Crowd, crowdOf, sendIn } from './crowd.js';

/** What a mesh does without. A server that is killed goes while the first half of the crowd is in. */
export interface Without {
  gateway?: 'bypassed';
  redis?: 'unset' | 'killed';
  stream?: 'unset' | 'killed';
  /** No scheduler, and claims in the journal that a killed inventory left behind. */
  sweep?: 'absent';
}

/** What all meshes of a test file rest on. */
export interface Ground {
  ledger: TestLedger;
  redis: PrivateServer;
  nats: PrivateServer;
}

/** How many people of the second half have been to an inventory that died before it answered. */
const leftBehind = 12;

/** Sends the crowd through a mesh that lacks something, mends it, and judges when nothing is open any more. */
export async function crowdWithout(without: Without, ground: Ground): Promise<Verdict> {
  const servers = serversFor(without, ground);
  const services = new TestServices(servers);
  const doors: Door[] = [];
  const opened = (door: Door): Door => {
    doors.push(door);
    return door;
  };
  try {
    const scenario = crowdOf(`store-${randomUUID()}`);
    for (const { skuId, storeId, capacity, perUserLimit, maxPerOrder } of scenario.skus) {
      await ground.ledger.sku({ skuId, storeId, capacity, perUserLimit, maxPerOrder });
    }
    const half = scenario.people.length / 2;
    if (without.sweep) await leaveBehind(scenario, scenario.people.slice(half, half + leftBehind), servers, opened);
    const order = (await services.order()).grpcAddress;
    const inventories = await Promise.all([services.inventory(), services.inventory()]);
    const targets = inventories.map(({ grpcAddress }) => grpcAddress);
    const peers = { inventory: targets.join(), order };
    const door = without.gateway
      ? opened(inventoryDoor(targets))
      : opened(gatewayDoor((await services.gateway(peers)).grpcAddress));
    if (!without.sweep) await services.scheduler(peers);
    const outcomes = await rush(without, ground, scenario, door);
    return await settledVerdict(scenario, outcomes, ground, targets[0] ?? '');
  } finally {
    for (const door of doors) door.close();
    await services.close();
  }
}

function serversFor({ redis, stream }: Without, ground: Ground): TestServers {
  return {
    postgres: ground.ledger.url,
    ...(redis !== 'unset' && { redis: ground.redis.url }),
    ...(stream !== 'unset' && { nats: ground.nats.url }),
  };
}

/**
 * Lets people in at an inventory that then hears from nobody but Redis and is killed before it has answered anyone: with
 * a gate, their claims stay in the journal.
 */
async function leaveBehind(
  { skus }: Scenario,
  people: Person[],
  servers: TestServers,
  opened: (door: Door) => Door,
): Promise<void> {
  const victim = await Victim.start('inventory', { ...servers });
  const inventory = connect(InventoryServiceDefinition, victim.address, { defaultDeadlineMs: 5_000 });
  const journal = servers.redis === undefined ? undefined : new JournalReader(servers.redis);
  try {
    await inventory.sync({ skuIds: skus.map(({ skuId }) => skuId), openingWithinSeconds: 0 });
    for (const name of ['postgres', 'nats'] as const) if (name in servers) victim.link(name).blackhole();
    const door = opened(inventoryDoor([victim.address]));
    for (const person of people) void door.place(person);
    await until(async () => (await victim.stats()).inFlight === people.length);
    if (journal) await until(async () => (await claimsIn(journal, skus)).size === people.length);
  } finally {
    journal?.close();
    inventory.close();
    await victim.close();
  }
}

async function claimsIn(journal: JournalReader, skus: Scenario['skus']): Promise<Set<string>> {
  const claims = await Promise.all(skus.map(({ skuId }) => journal.claims(skuId)));
  return new Set(claims.flat());
}

async function rush(without: Without, ground: Ground, { people }: Scenario, door: Door): Promise<Crowd> {
  const crowd: Crowd = { outcomes: [], answers: 0 };
  const half = people.length / 2;
  const first = sendIn(crowd, people.slice(0, half), door);
  await until(() => crowd.answers > 0);
  const killed = [without.redis === 'killed' && ground.redis, without.stream === 'killed' && ground.nats];
  for (const server of killed) if (server) await server.kill();
  await Promise.all([first, sendIn(crowd, people.slice(half), door)]);
  // Whoever had an answer before asks once more, past what is gone now.
  await sendIn(crowd, people.slice(0, half), door);
  for (const server of killed) if (server) await server.start();
  return crowd;
}

/** Waits for what was promised, sweeps, and judges by the ledger alone. */
async function settledVerdict(
  scenario: Scenario,
  { outcomes }: Crowd,
  { ledger }: Ground,
  address: string,
): Promise<Verdict> {
  const promised = [...new Set(outcomes.flatMap((outcome) => outcome.pendingIds))];
  await until(async () => (await ledger.ledger.ordersRead(promised)).length === promised.length);
  const inventory = connect(InventoryServiceDefinition, address, { defaultDeadlineMs: 5_000 });
  const reader = new LedgerReader(ledger.url);
  try {
    await until(async () => (await inventory.sweep({})).remaining === 0);
    const facts = await reader.facts(
      scenario.skus.map(({ skuId }) => skuId),
      0,
    );
    return judge({ scenario, outcomes, ledger: facts, undecided: 0 });
  } finally {
    inventory.close();
  }
}
