import { setTimeout as pause } from 'node:timers/promises';
import { localTokens } from '#libs/mesh/local-issuer.js';
import { HttpDoor } from '../rush/http-door.js';
import type { Outcome } from '../rush/outcome.js';
import type { Scenario } from '../rush/scenario.js';
import { type RushLimits, StockRoom } from '../rush/stock-room.js';
import { Visit } from '../rush/visit.js';
import { CrowdPool, type Sight } from './crowd-pool.js';
import { type SalePlan, saleOf } from './sale-plan.js';
import type { Stage } from './stage.js';

const MAX_SOCKETS = 2_000;
const WARM_SOCKETS = 50;
/** How long a promise is followed: it may be decided five seconds after the fault is healed, and healing takes its time. */
const FOLLOW_MS = 60_000;
/** Timers fire late on a busy machine: who was due meanwhile comes in the same turn. */
const ARRIVALS_EVERY_MS = 5;

/** A sale on a stage: people come at a steady rate, whatever becomes of those before them, until it is told to end. */
export class Sale {
  readonly startsAt = Date.now() + ARRIVALS_EVERY_MS;
  readonly #visits: Promise<Outcome[]>[] = [];
  readonly #arrivals: Promise<void>;
  #open = true;

  private constructor(
    readonly scenario: Scenario,
    private readonly pool: CrowdPool,
    private readonly tokenOf: (userId: string) => string,
  ) {
    this.#arrivals = this.#letIn();
  }

  /** Puts everything on sale, without limits that anybody meets, and lets the first people come. */
  static async open(stage: Stage, plan: SalePlan, limits: RushLimits = 'OFF'): Promise<Sale> {
    const scenario = saleOf(plan);
    const stockRoom = new StockRoom(
      stage
        .processes('inventory')
        .map(({ grpc }) => grpc)
        .join(','),
    );
    try {
      await stockRoom.putOnSale(scenario.skus, Date.now(), limits);
    } finally {
      stockRoom.close();
    }
    const edges = stage.processes('bff').map(({ http = '', admin }) => ({ http: `http://${http}`, admin }));
    const pool = new CrowdPool(edges, MAX_SOCKETS);
    await pool.warmUp(WARM_SOCKETS);
    return new Sale(scenario, pool, localTokens(stage.mesh.describe().identity));
  }

  /** Every answer so far. */
  get sights(): readonly Sight[] {
    return this.pool.sights;
  }

  /** Lets nobody in any more, and resolves with what became of all requests when the last has its answer. */
  async end(): Promise<Outcome[]> {
    this.#open = false;
    await this.#arrivals;
    return (await Promise.all(this.#visits)).flat();
  }

  close(): void {
    this.#open = false;
    this.pool.close();
  }

  async #letIn(): Promise<void> {
    for (const person of this.scenario.people) {
      while (this.#open && this.startsAt + person.arrivesAtMs > Date.now()) await pause(ARRIVALS_EVERY_MS);
      if (!this.#open) return;
      const door = new HttpDoor(this.pool, this.tokenOf(person.userId));
      this.#visits.push(new Visit(person, door, this.startsAt, FOLLOW_MS).run());
    }
  }
}
