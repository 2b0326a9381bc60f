import type { Decision } from '#libs/ledger/decision.js';
import { ask, type Flow } from './flow.js';
import type { Mesh } from './mesh.js';
import { type Message, notAfterOf } from './stream.js';
import { sync } from './sweep.js';
import { Process } from './world.js';

/** A sweeper whose own clock is so far ahead of the ledger's would expire holds that live. */
const OWN_CLOCK_AHEAD_MS = 60_000;

/** An order service: consumes claims, and does to orders what others ask for. */
export class OrderService {
  readonly process: Process;

  constructor(
    private readonly mesh: Mesh,
    name: string,
  ) {
    this.process = new Process(name, 0);
  }

  crash(): void {
    this.mesh.world.crash(this.process);
  }

  deliver(message: Message): void {
    const times = this.mesh.rules.has('all-twice') ? 2 : 1;
    for (let time = 0; time < times; time += 1)
      this.#spawn(`the message of ${message.claim.by.person.name}`, this.#consume(message));
  }

  expire(): void {
    this.#spawn('expiring holds', this.#expire());
  }

  cancel(orderId: string): void {
    this.#spawn(
      'cancelling',
      this.mesh.rules.has('release-unchecked') ? this.#release(orderId) : this.#change(orderId, 'CANCEL'),
    );
  }

  fulfil(orderId: string): void {
    this.#spawn('fulfilling', this.#change(orderId, 'FULFIL'));
  }

  /** `done` hears when the provider need not send it again. */
  pay(paymentId: string, orderId: string, done: () => void): void {
    const { ledger, world } = this.mesh;
    this.#spawn(`payment ${paymentId}`, pay());

    function* pay(): Flow {
      try {
        const isKnown = yield* ask('LEDGER', () => ledger.pay(paymentId, orderId));
        world.note?.(
          `payment ${paymentId} is ${isKnown ? 'recorded' : 'for nobody'}: ${ledger.rowOf(orderId)?.order.state}`,
        );
        if (isKnown) done();
      } catch {
        // The provider sends it again.
      }
    }
  }

  /** Not acked unless decided and told; then it comes again. */
  *#consume(message: Message): Flow {
    const { ledger, stream, rules, world } = this.mesh;
    const how = { record: true, notAfterMs: notAfterOf(message) };
    try {
      if (rules.has('yes-before-commit')) this.#tell(ledger.foresee(message.claim));
      const decision = yield* ask('LEDGER', () => ledger.admit(message.claim, how));
      const said = decision.kind === 'ORDER' ? decision.order.state : decision.kind;
      world.note?.(`${this.process.name}: admission says ${said} to the message of ${message.claim.by.person.name}`);
      this.#tell(decision);
      yield* ask('STREAM', () => stream.ack(message));
    } catch {
      // It is delivered again.
    }
  }

  #tell(decision: Decision): void {
    if (this.mesh.rules.has('deaf')) return;
    for (const inventory of this.mesh.inventories) {
      const hear = (): void => inventory.heard(decision);
      this.#spawn(`news for ${inventory.process.name}`, onTheWire(hear));
    }
  }

  *#expire(): Flow {
    const { ledger, rules, world } = this.mesh;
    const ownMs = rules.has('expiry-by-own-clock') ? world.nowMs + OWN_CLOCK_AHEAD_MS : undefined;
    try {
      const expired = yield* ask('LEDGER', () => ledger.expire(ownMs));
      if (expired > 0) this.#freed();
    } catch {
      // They are still due.
    }
  }

  *#change(orderId: string, event: 'CANCEL' | 'FULFIL'): Flow {
    const { ledger } = this.mesh;
    try {
      yield* ask('LEDGER', () => ledger.change(orderId, event));
      if (event === 'CANCEL') this.#freed();
    } catch {
      // Whoever asked asks again, or does not.
    }
  }

  *#release(orderId: string): Flow {
    const { ledger } = this.mesh;
    try {
      const [seen] = yield* ask('LEDGER', () => ledger.ordersRead([orderId]));
      const row = ledger.rowOf(orderId);
      if (seen?.state !== 'HELD' || !row) return;
      yield* ask('LEDGER', () => ledger.giveBackUnchecked(seen.lines, row));
      yield* ask('LEDGER', () => ledger.markCancelled(orderId));
    } catch {
      // Half of it may have happened.
    }
  }

  /** Inventories hear that units came back. */
  #freed(): void {
    const { mesh } = this;
    for (const inventory of mesh.inventories) {
      const hear = (): void => {
        inventory.parked.stir();
        mesh.world.spawn(inventory.process, 'syncing what was freed', sync(mesh));
      };
      this.#spawn(`news of units for ${inventory.process.name}`, onTheWire(hear));
    }
  }

  #spawn(name: string, flow: Flow): void {
    this.mesh.world.spawn(this.process, name, flow);
  }
}

/** Told once; whoever does not hear it reads. */
function* onTheWire(hear: () => void): Flow {
  try {
    yield* ask('WIRE', hear);
  } catch {
    // Nobody waits for a reply.
  }
}
