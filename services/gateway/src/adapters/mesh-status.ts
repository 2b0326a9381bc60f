import type { GetMeshStatusResponse, MeshInstance } from '#libs/contracts/gen/holdfast/control/v1/control_service.js';
import type { InstanceStatus } from '#libs/contracts/gen/holdfast/status/v1/instance.js';
import { StatusServiceDefinition } from '#libs/contracts/gen/holdfast/status/v1/status_service.js';
import { faultOf } from '#libs/refusal/fault.js';
import type { CallContext } from '#libs/rpc/call-context.js';
import { type Client, connect } from '#libs/rpc/client.js';
import { EachAddress } from '#libs/rpc/each-address.js';
import { addressesOf, type Target } from '#libs/rpc/target.js';
import { within } from './inner-calls.js';

const ASK_MS = 1_000;
const asking = { defaultDeadlineMs: ASK_MS };

type StatusClient = Client<StatusServiceDefinition>;

export interface MeshStatusOptions {
  /** The gateway that is asked. */
  own: { address(): string; read(): Promise<InstanceStatus> };
  /** Other gateways, as far as they are known. */
  otherGateways(): Promise<{ address: string; target: Target }[]>;
  /** What stands behind the gateways, by service. */
  targets: Readonly<Record<string, Target>>;
  /** Both may fail: then that part is empty, and the process that should have told it shows why. */
  switches(call: CallContext): Promise<GetMeshStatusResponse['switches']>;
  openAlerts(call: CallContext): Promise<GetMeshStatusResponse['openAlerts']>;
}

/** Asks every process of the mesh that this gateway can name, all at once and each for a second at most. */
export class MeshStatus {
  readonly #options: MeshStatusOptions;
  readonly #peers: { service: string; target: Target; each: EachAddress<StatusServiceDefinition> }[];

  constructor(options: MeshStatusOptions) {
    this.#options = options;
    this.#peers = Object.entries(options.targets).map(([service, target]) => ({
      service,
      target,
      each: new EachAddress(StatusServiceDefinition, target, asking),
    }));
  }

  async read(call: CallContext): Promise<GetMeshStatusResponse> {
    const { switches, openAlerts } = this.#options;
    const [behind, gateways, set, open] = await Promise.all([
      Promise.all(this.#peers.map((peer) => askPeer(peer, call))),
      this.#gateways(call),
      switches(call).catch(() => []),
      openAlerts(call).catch(() => ({})),
    ]);
    const instances = [...behind.flat(), ...gateways].sort(byServiceAndAddress);
    return { instances, switches: set, openAlerts: open };
  }

  close(): void {
    for (const { each } of this.#peers) each.close();
  }

  async #gateways(call: CallContext): Promise<MeshInstance[]> {
    const { own, otherGateways } = this.#options;
    const others = (await otherGateways()).map(async ({ address, target }) => {
      const client = connect(StatusServiceDefinition, target, asking);
      try {
        return await askOne({ service: 'gateway', address }, client, call);
      } finally {
        client.close();
      }
    });
    const self = { service: 'gateway', address: own.address(), status: await own.read(), problem: '' };
    return [self, ...(await Promise.all(others))];
  }
}

async function askPeer(
  { service, target, each }: { service: string; target: Target; each: EachAddress<StatusServiceDefinition> },
  call: CallContext,
): Promise<MeshInstance[]> {
  const instances = await each.ask((client, address) => askOne({ service, address }, client, call));
  if (instances.length > 0) return instances;
  return [{ service, address: addressesOf(target), status: undefined, problem: 'no address of this name is known' }];
}

async function askOne(
  named: { service: string; address: string },
  client: StatusClient,
  call: CallContext,
): Promise<MeshInstance> {
  // Another gateway asks who wants to know, as this one did.
  const authorization = call.metadata('authorization');
  try {
    const { status } = await client.getStatus(
      {},
      { ...within(call), deadlineMs: ASK_MS, ...(authorization && { metadata: { authorization } }) },
    );
    return { ...named, status, problem: status ? '' : 'its answer is empty' };
  } catch (error) {
    return { ...named, status: undefined, problem: problemOf(error) };
  }
}

function problemOf(error: unknown): string {
  const { reason, message } = faultOf(error);
  if (reason === 'UNAVAILABLE') return 'it cannot be reached';
  return reason === 'TOO_LATE' ? 'it did not answer within a second' : `it answered ${reason}: ${message}`;
}

function byServiceAndAddress(one: MeshInstance, other: MeshInstance): number {
  return one.service.localeCompare(other.service) || one.address.localeCompare(other.address);
}
