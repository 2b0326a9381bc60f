import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import {
  type PlanReconcileRequest,
  PlanState,
  ReconcileServiceDefinition,
} from '#libs/contracts/gen/holdfast/control/v1/reconcile_service.js';
import {
  InventoryServiceDefinition,
  type SyncRequest,
} from '#libs/contracts/gen/holdfast/inventory/v1/inventory_service.js';
import { SchedulerServiceDefinition } from '#libs/contracts/gen/holdfast/scheduler/v1/scheduler_service.js';
import { type TestLedger, testLedger } from '#libs/ledger/test-ledger.js';
import { Fault } from '#libs/refusal/fault.js';
import type { CallContext } from '#libs/rpc/call-context.js';
import { type Client, connect } from '#libs/rpc/client.js';
import { type RpcServer, startServer } from '#libs/rpc/server.js';
import { implement } from '#libs/rpc/service.js';
import { Lifecycle } from '#libs/runtime/lifecycle.js';
import { createLogger } from '#libs/runtime/logger.js';
import { freePort } from '#libs/servers/free-port.js';
import { assert } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { readConfig, type SchedulerConfig } from '../src/config.js';
import { startScheduler } from '../src/service.js';

/** A scheduler that runs in this process. */
export interface RunningScheduler {
  readonly address: string;
  readonly client: Client<SchedulerServiceDefinition>;
  stop(): Promise<void>;
}

const silent = createLogger('test', 'silent');

/** A ledger, an order service as a process of its own, and an inventory that only counts what it is told. */
export class Stage {
  sweeps = 0;
  readonly syncs: SyncRequest[] = [];
  /** What the inventory answers about the next opening. */
  nextOpeningAt: Date | undefined;
  inventoryIsAway = false;
  readonly looks: { request: PlanReconcileRequest; call: CallContext }[] = [];
  /** What a look waits for before it answers that it found nothing. */
  look: (call: CallContext) => Promise<unknown> = async () => undefined;
  readonly #children: ChildProcess[] = [];
  readonly #running: RunningScheduler[] = [];
  #inventory: RpcServer | undefined;
  #orderAddress = '';

  private constructor(readonly ledger: TestLedger) {}

  static async open(): Promise<Stage> {
    const stage = new Stage(await testLedger());
    stage.#inventory = await startServer({
      address: '127.0.0.1:0',
      services: [stage.#countingInventory(), stage.#looking()],
      logger: silent,
    });
    stage.#orderAddress = `127.0.0.1:${await freePort()}`;
    stage.#spawn('order', { GRPC_ADDRESS: stage.#orderAddress });
    return stage;
  }

  async start(parts: Partial<SchedulerConfig> = {}): Promise<RunningScheduler> {
    const life = new Lifecycle(silent);
    const { grpcAddress } = await startScheduler({ ...readConfig(this.#environment()), ...parts }, life);
    life.ready();
    const client = connect(SchedulerServiceDefinition, grpcAddress, { defaultDeadlineMs: 5_000 });
    const running = {
      address: grpcAddress,
      client,
      async stop() {
        client.close();
        await life.close();
      },
    };
    this.#running.push(running);
    return running;
  }

  /** Starts a scheduler as a process of its own, to be killed. */
  spawnScheduler(): ChildProcess {
    return this.#spawn('scheduler', this.#environment());
  }

  /** Runs of a job that began in all schedulers so far; never less than it was. */
  async lastRunAt(job: string): Promise<Date | undefined> {
    return (await this.ledger.ledger.jobsRead()).find((row) => row.name === job)?.lastRunAt;
  }

  /** Closes all, and fails if anybody broke a law of the ledger meanwhile. */
  async close(): Promise<void> {
    for (const child of this.#children) {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    }
    await Promise.all(this.#running.map((running) => running.stop()));
    await this.#inventory?.drain();
    const violations = await this.ledger.violations();
    await this.ledger.drop();
    assert.equal(violations, []);
  }

  #spawn(service: string, env: Record<string, string>): ChildProcess {
    const main = fileURLToPath(new URL(`../../${service}/src/main.js`, import.meta.url));
    const settings = { DATABASE_URL: this.ledger.url, ADMIN_ADDRESS: '127.0.0.1:0', LOG_LEVEL: 'silent', ...env };
    const child = spawn(process.execPath, [main], { env: settings, stdio: 'inherit' });
    this.#children.push(child);
    return child;
  }

  #environment(): Record<string, string> {
    return {
      LOG_LEVEL: 'silent',
      GRPC_ADDRESS: '127.0.0.1:0',
      ADMIN_ADDRESS: '127.0.0.1:0',
      DATABASE_URL: this.ledger.url,
      ORDER_TARGET: this.#orderAddress,
      INVENTORY_TARGET: this.#inventory?.address ?? '',
    };
  }

  #looking() {
    const unused = () => {
      throw new Fault('INTERNAL', 'no scheduler asks for this');
    };
    return implement(ReconcileServiceDefinition, {
      planReconcile: async (request, call) => {
        this.looks.push({ request, call });
        await this.look(call);
        const { PLAN_STATE_CLEAN: state } = PlanState;
        const nothing = { findings: [], findingsCount: 0, mended: 0, appliedAt: undefined, appliedBy: '' };
        return { plan: { planId: 1, state, madeAt: new Date(), madeBy: 'scheduler', skus: 7, orders: 9, ...nothing } };
      },
      applyReconcile: unused,
      listPlans: unused,
      getPlan: unused,
      proveSku: unused,
    });
  }

  #countingInventory() {
    const unused = () => {
      throw new Fault('INTERNAL', 'no scheduler asks for this');
    };
    const refuseWhileAway = (): void => {
      if (this.inventoryIsAway) throw new Fault('UNAVAILABLE', 'the inventory is away');
    };
    return implement(InventoryServiceDefinition, {
      placeHolds: unused,
      getClaim: unused,
      putSku: unused,
      importSkus: unused,
      getSku: unused,
      listSkus: unused,
      getAvailability: unused,
      batchGetLimits: unused,
      listLimits: unused,
      setLimits: unused,
      sweep: async () => {
        refuseWhileAway();
        this.sweeps += 1;
        return { settled: 0, admitted: 0, dropped: 0, remaining: 0, oldestMs: 0 };
      },
      sync: async (request) => {
        refuseWhileAway();
        this.syncs.push(request);
        return { synced: 0, nextOpeningAt: this.nextOpeningAt };
      },
    });
  }
}

/** Resolves when `child` is gone. */
export async function killed(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await until(() => child.exitCode !== null || child.signalCode !== null);
}
