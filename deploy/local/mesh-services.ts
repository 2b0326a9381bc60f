import { randomBytes } from 'node:crypto';
import type { MeshProcess } from '#libs/mesh/mesh-file.js';
import { canListen, freePort } from '#libs/servers/free-port.js';
import { type SandboxSecrets, withSandbox } from './sandbox-plan.js';
import { type ProcessHooks, ServiceProcess } from './service-process.js';
import {
  type PlanOptions,
  type ProcessPlan,
  type ProgramName,
  planProcesses,
  SERVICE_NAMES,
  type ServiceName,
} from './topology.js';

/** Who is asked by others stops before those it asks; what stands in one row stops together. */
const STOP_ORDER: ProgramName[][] = [
  ['sandbox'],
  ['bff'],
  ['gateway'],
  ['scheduler', 'webhook'],
  ['order', 'inventory'],
];

export interface FreePlanOptions extends Omit<PlanOptions, 'nextPort' | 'requestIdSecret'> {
  /** Used where they are free. */
  ports: { http?: number; gateway?: number };
  /** Present: a payment sandbox is planned, too. */
  sandbox?: SandboxSecrets | undefined;
}

/** Plans a mesh on ports that are free now. */
export async function planOnFreePorts(options: FreePlanOptions): Promise<ProcessPlan[]> {
  const { http, gateway } = options.ports;
  const [httpPort, gatewayPort] = await Promise.all([preferred(http), preferred(gateway)]);
  const taken = new Set([httpPort, gatewayPort]);
  // A gateway may want a third one.
  const count = SERVICE_NAMES.reduce((sum, service) => sum + 3 * (options.scale[service] ?? 1), 0);
  while (taken.size < count + 4) taken.add(await freePort());
  const rest = [...taken].slice(2);
  const sandboxPorts = { http: rest.pop() ?? 0, admin: rest.pop() ?? 0 };
  const plans = planProcesses({
    ...options,
    requestIdSecret: randomBytes(24).toString('base64url'),
    nextPort: (service, use, index) => {
      if (use === 'http' && index === 0) return httpPort;
      if (service === 'gateway' && use === 'grpc' && index === 0) return gatewayPort;
      return rest.pop() ?? 0;
    },
  });
  const { sandbox: secrets } = options;
  return secrets === undefined ? plans : withSandbox({ secrets, plans, ports: sandboxPorts });
}

/** All service processes of a mesh. */
export class MeshServices {
  readonly #processes: ServiceProcess[];

  constructor(plans: ProcessPlan[], hooks: ProcessHooks) {
    this.#processes = plans.map((plan) => new ServiceProcess(plan, hooks));
  }

  start(): void {
    for (const one of this.#processes) one.start();
  }

  /** Resolves when all are ready; rejects with the last words of one that is not in time. */
  async ready(timeoutMs: number): Promise<void> {
    await Promise.all(this.#processes.map((one) => one.ready(timeoutMs)));
  }

  async kill(service: ServiceName, index: number, signal: NodeJS.Signals): Promise<void> {
    const found = this.#of(service)[index];
    if (!found) throw new Error(`there is no ${service}-${index + 1}`);
    await found.kill(signal);
  }

  async stop(): Promise<void> {
    for (const row of STOP_ORDER) {
      await Promise.all(row.flatMap((service) => this.#of(service)).map((one) => one.stop()));
    }
  }

  /** As mesh.json lists them. */
  listed(): Record<string, MeshProcess[]> {
    const sandbox = this.#of('sandbox').map(listedProcess);
    const entries = SERVICE_NAMES.map((service) => [service, this.#of(service).map(listedProcess)]);
    return { ...Object.fromEntries(entries), ...(sandbox.length > 0 && { sandbox }) };
  }

  #of(service: ProgramName): ServiceProcess[] {
    return this.#processes.filter((one) => one.plan.service === service);
  }
}

function listedProcess({ pid, plan: { grpc, http, admin } }: ServiceProcess): MeshProcess {
  return { pid, ...(grpc === undefined ? {} : { grpc }), ...(http === undefined ? {} : { http }), admin };
}

/** That port where nobody listens on it, else another. */
async function preferred(port: number | undefined): Promise<number> {
  return port !== undefined && (await canListen(port)) ? port : freePort();
}
