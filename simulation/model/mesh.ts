import { orderId } from '#libs/contracts/order-id.js';
import type { Outcome } from '../../services/inventory/src/app/placement.js';
import type { Switched } from '../../services/inventory/src/domain/path.js';
import type { Rule } from '../planted.js';
import type { Setup, Wish } from '../setup.js';
import type { Person, Try } from './claims.js';
import { Gateway } from './gateway.js';
import { Inventory } from './inventory.js';
import { Ledger } from './ledger.js';
import { marksKnownSince } from './mark-scripts.js';
import { OrderService } from './order-service.js';
import { Redis } from './redis.js';
import type { Stock } from './stock.js';
import { Stream } from './stream.js';
import { Witness } from './witness.js';
import { type Process, World } from './world.js';

const SKUS = ['a', 'b'];
const STREAM_CLOCK_OFF_MS = -20_000;

/** A payment that the provider has taken from somebody. */
export interface Captured {
  readonly paymentId: string;
  readonly orderId: string;
  isAcked: boolean;
}

/** Everything there is: one store, two skus, two of each service, one Redis, one stream, one ledger, some people. */
export class Mesh {
  readonly world: World;
  readonly redis: Redis;
  readonly stream: Stream;
  readonly ledger: Ledger;
  readonly witness: Witness;
  readonly gateways: Gateway[];
  readonly inventories: Inventory[];
  readonly orders: OrderService[];
  readonly people: Person[] = [];
  readonly captured: Captured[] = [];
  /** As the operator set them; processes see them when they look. */
  switches: readonly Switched[] = [];
  #owners = 0;

  constructor(
    readonly setup: Setup,
    readonly rules: ReadonlySet<Rule>,
    note?: (text: string) => void,
  ) {
    const world = new World(
      note,
      () => this.#beat(),
      () => this.witness.look(),
    );
    const clock = (): number => world.nowMs;
    this.world = world;
    this.redis = new Redis(clock, setup.redisAheadMs);
    this.stream = new Stream(clock, rules.has('stream-clock-off') ? STREAM_CLOCK_OFF_MS : setup.streamAheadMs);
    this.ledger = new Ledger(stocksOf(setup, world.nowMs), rules, clock);
    this.witness = new Witness(this.ledger, () => ({ count: world.count, losses: this.redis.losses }));
    this.gateways = ['gateway 1', 'gateway 2'].map((name) => new Gateway(this, name));
    this.#seatGateways();
    this.inventories = setup.clocksOffMs.map((offMs, i) => new Inventory(this, `inventory ${i + 1}`, offMs));
    this.orders = ['order 1', 'order 2'].map((name) => new OrderService(this, name));
    for (const wish of setup.wishes) this.addPerson(wish);
    this.witness.look();
  }

  get processes(): Process[] {
    return [...this.gateways, ...this.inventories, ...this.orders].map(({ process }) => process);
  }

  addPerson({ units, otherUnits }: Wish): Person {
    const name = `person ${this.people.length + 1}`;
    const [userId, requestId] = [name.replace(' ', '-'), 'request'];
    const linesOf = (wanted: readonly number[]): Person['lines'] =>
      wanted.flatMap((quantity, i) =>
        quantity > 0 ? [{ skuId: SKUS[i] ?? '', quantity, attendeeId: userId, unitPriceMinor: 1 }] : [],
      );
    const person: Person = {
      name,
      orderId: idOf(userId, requestId),
      userId,
      requestId,
      lines: linesOf(units),
      otherLines: otherUnits && linesOf(otherUnits),
      waitingFor: 0,
    };
    this.people.push(person);
    return person;
  }

  /** A try of a person arrives at a gateway. */
  ask(person: Person, at: { gateway: number; inventory: number; otherLines: boolean }): void {
    const { world } = this;
    const lines = at.otherLines ? (person.otherLines ?? person.lines) : person.lines;
    world.count += 1;
    const tried: Try = { person, lines, count: world.count, isMarked: false, isForgotten: false, route: at.inventory };
    const gateway = this.gateways[at.gateway % this.gateways.length];
    if (!gateway) return;
    person.waitingFor += 1;
    this.witness.asked(tried);
    world.note?.(
      `${person.name} asks ${gateway.process.name} for ${lines.map(({ skuId, quantity }) => `${quantity} of ${skuId}`).join(' and ')}`,
    );
    gateway.reserve(tried);
  }

  told(tried: Try, outcome: Outcome): void {
    tried.person.waitingFor -= 1;
    this.world.note?.(`${tried.person.name} is told ${outcome.kind === 'FAULT' ? outcome.fault.reason : outcome.kind}`);
    this.witness.told(tried, outcome);
  }

  /** The provider takes money for an order, and tells us until it is heard. */
  capture(person: Person): void {
    const captured = { paymentId: `p${this.captured.length + 1}`, orderId: person.orderId, isAcked: false };
    this.captured.push(captured);
    this.sendPayment(captured, 0);
  }

  sendPayment(captured: Captured, order: number): void {
    this.world.note?.(`payment ${captured.paymentId} is sent`);
    this.orders[order % this.orders.length]?.pay(captured.paymentId, captured.orderId, () => {
      captured.isAcked = true;
    });
  }

  /** A gateway shows itself in Redis. */
  heard(gateway: string, repliedAtMs: number): void {
    marksKnownSince(this.redis, gateway, repliedAtMs);
  }

  nextOwner(): number {
    this.#owners += 1;
    return this.#owners;
  }

  /** All but a new one have been there for as long as marks are kept. */
  #seatGateways(): void {
    for (const [i, gateway] of this.gateways.entries())
      if (i === 1 && this.setup.isSecondNew) {
        gateway.crash();
        gateway.process.cutFrom.add('REDIS');
      } else this.redis.keys.gateways.set(gateway.process.name, this.redis.nowMs);
  }

  #beat(): void {
    for (const gateway of this.gateways) gateway.beat();
    for (const inventory of this.inventories) inventory.beat();
  }
}

const ids = new Map<string, string>();

/** The same few people are in every schedule. */
function idOf(userId: string, requestId: string): string {
  const known = ids.get(userId);
  if (known !== undefined) return known;
  const id = orderId('store', userId, requestId);
  ids.set(userId, id);
  return id;
}

function stocksOf({ capacities, opensInMs }: Setup, nowMs: number): Stock[] {
  return SKUS.map((skuId, i) => {
    const capacity = capacities[i] ?? 1;
    const opensIn = opensInMs[i];
    const onSaleAt = opensIn === undefined ? undefined : new Date(nowMs + opensIn);
    return { skuId, capacity, overbooked: 0, free: capacity, held: 0, sold: 0, version: 1, paused: false, onSaleAt };
  });
}
