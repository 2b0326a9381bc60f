import { join, resolve } from 'node:path';
import type { LimitsFile } from '#libs/mesh/limits-file.js';
import { openLocalIssuer } from '#libs/mesh/local-issuer.js';
import { type MeshFile, removeMeshFile, writeMeshFile } from '#libs/mesh/mesh-file.js';
import { keepCertificates } from './certificates.js';
import { type Close, closeAll } from './close-all.js';
import { lockDirectory } from './mesh-lock.js';
import { MeshLogs } from './mesh-logs.js';
import { forgetServers, type MeshServers, startServers } from './mesh-servers.js';
import { MeshServices, planOnFreePorts } from './mesh-services.js';
import { migrateLedger } from './migrate-ledger.js';
import { sandboxSecrets } from './sandbox-plan.js';
import {
  type DispensableServer,
  type EnvOf,
  type IdentitySettings,
  type ProcessPlan,
  type Scale,
  SERVICE_NAMES,
  type ServerUrls,
  type ServiceName,
} from './topology.js';

const READY_TIMEOUT_MS = 30_000;

export interface MeshOptions {
  /** Holds the data of private servers, logs, and mesh.json. One mesh at a time. */
  directory: string;
  scale?: Scale;
  /** Servers to use instead of private ones. */
  servers?: Partial<ServerUrls>;
  /** What the mesh shall do without. */
  without?: DispensableServer[];
  /** Preferred ports; free ones are found for all others. */
  ports?: { http?: number; gateway?: number };
  /** Gives services their limits; `env` overrules it. Those of skus are for operators to apply. */
  limits?: LimitsFile | undefined;
  /** Further settings of every service, like LOG_LEVEL or SHARDS. */
  env?: Record<string, string>;
  /** Settings of one process alone, like the way to a server that only it takes; they overrule everything. */
  envOf?: EnvOf | undefined;
  /** The folder of the issuer whose tokens are believed; one of the mesh's own by default. */
  identity?: string;
  /** Whether the services know each other by certificates of an authority of the mesh's own; false by default. */
  tls?: boolean;
  /** Also a payment provider that plays; false by default. */
  sandbox?: boolean;
  /** Whether the data of private servers outlives the mesh; false by default. */
  keep?: boolean;
  /** Forgets the data that private servers kept from earlier meshes in this directory; false by default. */
  fresh?: boolean;
  /** Starts private servers again that die without being told to; false by default. */
  restartServers?: boolean;
  /** Hears what is being done, in words. */
  report?(line: string): void;
  /** Hears every line that a service writes, besides the files in `logs`. */
  onLine?(process: string, line: string): void;
}

/** A running mesh. Its services, and with `restartServers` its private servers, are started again when they die, until `stop`. */
export interface Mesh {
  /** What mesh.json says now. */
  describe(): MeshFile;
  /** The servers; private ones can be stopped, frozen and restarted. */
  servers: MeshServers;
  /** Ends one process of a service, with SIGKILL unless another signal is named; resolves when it is gone. */
  kill(service: ServiceName, index?: number, signal?: NodeJS.Signals): Promise<void>;
  /** Resolves when every process is ready. */
  ready(): Promise<void>;
  /** Stops the services, those that are asked first, then the private servers. */
  stop(): Promise<void>;
}

/** Starts servers and services, and resolves when all are ready and mesh.json says so; rejects with nothing left running. */
export async function startMesh(options: MeshOptions): Promise<Mesh> {
  const directory = resolve(options.directory);
  const closers: Close[] = [lockDirectory(directory)];
  try {
    return { ...(await assemble(directory, options, (close) => closers.push(close))), stop: () => closeAll(closers) };
  } catch (error) {
    await closeAll(closers);
    throw error;
  }
}

async function assemble(
  directory: string,
  options: MeshOptions,
  closer: (close: () => Promise<void> | void) => void,
): Promise<Omit<Mesh, 'stop'>> {
  const {
    scale = {},
    limits,
    env = {},
    envOf,
    ports = {},
    without = [],
    sandbox = false,
    tls = false,
    keep = false,
    fresh = false,
    restartServers = false,
    report = () => {},
    onLine,
  } = options;
  removeMeshFile(directory); // One that a crash left names processes that are gone.
  if (fresh) forgetServers(directory);
  let published = false;
  const onBack = (): void => {
    if (published) writeMeshFile(directory, describe());
  };
  const servers = await startServers({
    ...{ directory, given: options.servers ?? {}, without, keep, report },
    ...(restartServers && { onBack }),
  });
  closer(() => servers.stop());
  await migrateLedger(servers.urls.postgres, report);

  const { identity = join(directory, 'identity') } = options;
  const logs = new MeshLogs(directory);
  closer(() => logs.close());
  const plans = await planOnFreePorts({
    ...{ scale, limits, env, envOf, ports, servers: servers.urls },
    identity: identitySettings(identity),
    ...(tls && { tls: await certificatesIn(directory) }),
    ...(sandbox && { sandbox: sandboxSecrets(directory) }),
  });
  const services = new MeshServices(plans, {
    report,
    onLine: (name, line) => {
      logs.write(name, line);
      onLine?.(name, line);
    },
    onBack,
  });
  const describe = (): MeshFile => ({
    ...addresses(plans),
    identity,
    services: services.listed(),
    infra: servers.listed(),
    ...(tls && { toolsTls: join(directory, 'tls', 'tools') }),
  });

  report(`starting ${plans.map((plan) => plan.name).join(', ')}`);
  closer(() => services.stop());
  services.start();
  await services.ready(READY_TIMEOUT_MS);
  closer(() => {
    published = false;
    removeMeshFile(directory);
  });
  writeMeshFile(directory, describe());
  published = true;
  return {
    servers,
    describe,
    kill: (service, index = 0, signal = 'SIGKILL') => services.kill(service, index, signal),
    ready: () => services.ready(READY_TIMEOUT_MS),
  };
}

/** Of the gateways and the edge; the edge also has a token of its own. */
function identitySettings(directory: string): IdentitySettings {
  const { SERVICE_TOKEN_PATH = '', ...reads } = openLocalIssuer(directory).settings;
  return { reads, speaks: { SERVICE_TOKEN_PATH } };
}

/** A folder with a folder for each service, and one for tools. */
async function certificatesIn(directory: string): Promise<string> {
  const folder = join(directory, 'tls');
  await keepCertificates(folder, [...SERVICE_NAMES, 'tools']);
  return folder;
}

function addresses(plans: ProcessPlan[]): Pick<MeshFile, 'http' | 'gateway'> {
  const http = plans.find((plan) => plan.http)?.http ?? '';
  const gateway = plans.find((plan) => plan.service === 'gateway')?.grpc ?? '';
  return { http: `http://${http}`, gateway };
}
