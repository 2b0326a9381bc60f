import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type LimitsFile, settingsOf } from '#libs/mesh/limits-file.js';

/** The services of a mesh in the order in which each needs those before it. */
export const SERVICE_NAMES = ['inventory', 'order', 'scheduler', 'webhook', 'gateway', 'bff'] as const;
export type ServiceName = (typeof SERVICE_NAMES)[number];

/** What runs in a mesh: the services, and a payment provider that plays where one is wanted. */
export type ProgramName = ServiceName | 'sandbox';

/** Where people look for the HTTP edge and for the gateway's gRPC. */
export const DEFAULT_PORTS = { http: 8080, gateway: 7011 } as const;

/** How many processes of each service; one where nothing is said. */
export type Scale = Partial<Record<ServiceName, number>>;

/** The servers that a mesh can do without: its paths then go round them. */
export const DISPENSABLE_SERVERS = ['redis', 'nats'] as const;
export type DispensableServer = (typeof DISPENSABLE_SERVERS)[number];

/** URLs of the servers that the mesh rests on. Without Redis or NATS its paths go round them. */
export interface ServerUrls {
  postgres: string;
  redis?: string;
  nats?: string;
}

interface Place {
  service: ServiceName;
  /** Zero-based among the processes of its service. */
  index: number;
  /** `order-1`: shown before its log lines and given to it as INSTANCE. */
  name: string;
  admin: string;
  grpc?: string;
  /** Where it serves the mesh, with certificates, when `grpc` is for the public. */
  inner?: string;
  http?: string;
}

/** One process to run: where it listens, and the settings it is given. */
export interface ProcessPlan extends Omit<Place, 'service'> {
  service: ProgramName;
  /** Absolute path of the JavaScript file to run. */
  program: string;
  env: Record<string, string>;
}

/** That of a service. */
export type ServicePlan = ProcessPlan & Place;

interface ServiceNeeds {
  servers: (keyof ServerUrls)[];
  /** The services it calls. */
  calls: ServiceName[];
}

/** Who needs whom. docker-compose.yml says the same, and a test compares the two. */
const SERVICE_NEEDS: Record<ServiceName, ServiceNeeds> = {
  inventory: { servers: ['postgres', 'redis', 'nats'], calls: [] },
  order: { servers: ['postgres', 'nats'], calls: [] },
  scheduler: { servers: ['postgres'], calls: ['inventory', 'order'] },
  webhook: { servers: ['postgres', 'nats'], calls: [] },
  gateway: { servers: ['redis'], calls: ['inventory', 'order', 'scheduler', 'webhook'] },
  bff: { servers: [], calls: ['gateway'] },
};

const SERVER_SETTINGS = { postgres: 'DATABASE_URL', redis: 'REDIS_URL', nats: 'NATS_URL' } as const;

/** What tells services whose tokens to believe, and gives one to who speaks for itself. */
export interface IdentitySettings {
  readonly reads: Readonly<Record<string, string>>;
  readonly speaks: Readonly<Record<string, string>>;
}

export interface PlanOptions {
  scale: Scale;
  servers: ServerUrls;
  /** Gives a port that nobody else is given. */
  nextPort(service: ServiceName, use: PortUse, index: number): number;
  /** Where each service has a folder with its certificate; absent: they do without. */
  tls?: string | undefined;
  /** With what every gateway signs the request ids that it issues. */
  requestIdSecret: string;
  /** Settings of whoever reads tokens, and of whoever has one. */
  identity: IdentitySettings;
  /** Gives services their limits. */
  limits?: LimitsFile | undefined;
  /** Settings for every process; they overrule the limits and give way to what the plan itself decides. */
  env: Record<string, string>;
  /** Settings of one process alone; they overrule everything. */
  envOf?: EnvOf | undefined;
}

type PortUse = 'http' | 'grpc' | 'inner' | 'admin';

/** `index` is zero-based among the processes of the service. */
export type EnvOf = (service: ServiceName, index: number) => Record<string, string>;

/** Every process of a mesh, with addresses chosen up front, so that all can start at once and come back where they were. */
export function planProcesses(options: PlanOptions): ServicePlan[] {
  const places = SERVICE_NAMES.flatMap((service) =>
    Array.from({ length: options.scale[service] ?? 1 }, (_, index) => place(service, index, options)),
  );
  return places.map((one) => ({ ...one, program: programOf(one.service), env: settings(one, places, options) }));
}

function programOf(service: ServiceName): string {
  return fileURLToPath(new URL(`../../services/${service}/src/main.js`, import.meta.url));
}

function place(service: ServiceName, index: number, { nextPort, tls }: PlanOptions): Place {
  const address = (use: PortUse): string => `127.0.0.1:${nextPort(service, use, index)}`;
  const own = service === 'bff' ? { http: address('http') } : { grpc: address('grpc') };
  const inner = service === 'gateway' && tls !== undefined ? { inner: address('inner') } : {};
  return { service, index, name: `${service}-${index + 1}`, ...own, ...inner, admin: address('admin') };
}

function settings(one: Place, all: Place[], options: PlanOptions): Record<string, string> {
  const { servers, env, envOf, requestIdSecret, limits, identity, tls } = options;
  const processes = all.filter(({ service }) => service === one.service).length;
  const needs = SERVICE_NEEDS[one.service];
  const targetOf = (service: ServiceName): string =>
    all.flatMap((peer) => (peer.service === service && peer.grpc ? [peer.inner ?? peer.grpc] : [])).join(',');
  return {
    ...(limits ? settingsOf(limits, one.service, processes) : {}),
    ...env,
    ...Object.fromEntries(needs.servers.map((server) => [SERVER_SETTINGS[server], servers[server] ?? ''])),
    ...Object.fromEntries(needs.calls.map((called) => [`${called.toUpperCase()}_TARGET`, targetOf(called)])),
    ...(one.grpc ? { GRPC_ADDRESS: one.inner ?? one.grpc } : {}),
    ...(one.inner && one.grpc ? { PUBLIC_GRPC_ADDRESS: one.grpc } : {}),
    ...(tls === undefined ? {} : { TLS_DIR: join(tls, one.service) }),
    ...(one.http ? { HTTP_ADDRESS: one.http } : {}),
    ...(one.service === 'gateway' ? { REQUEST_ID_SECRETS: requestIdSecret, ...identity.reads } : {}),
    ...(one.service === 'bff' ? { ...identity.reads, ...identity.speaks } : {}),
    // Receivers of webhooks run on this machine, too.
    ...(one.service === 'webhook' ? { WEBHOOK_ALLOW_PRIVATE: 'true' } : {}),
    ...(one.service === 'webhook' && !servers.nats ? { WEBHOOK_FOLLOW_OUTBOX: 'true' } : {}),
    ADMIN_ADDRESS: one.admin,
    INSTANCE: one.name,
    ...envOf?.(one.service, one.index),
  };
}

/** Reads `gateway=2,inventory=3`; throws with what is wrong. */
export function parseScale(text: string): Scale {
  const scale: Scale = {};
  for (const part of text.split(',').filter((piece) => piece !== '')) {
    const [name, count] = part.split('=');
    const service = SERVICE_NAMES.find((known) => known === name && known !== 'bff');
    if (!service || !/^[1-9]$/.test(count ?? '')) {
      throw new Error(
        `--scale: ${part} is not gateway, inventory, order, scheduler or webhook with 1 to 9, like order=2`,
      );
    }
    scale[service] = Number(count);
  }
  return scale;
}

/** Reads `redis,nats`: the servers to do without; throws with what is wrong. */
export function parseWithout(text: string): DispensableServer[] {
  return text
    .split(',')
    .filter((piece) => piece !== '')
    .map((name) => {
      const server = DISPENSABLE_SERVERS.find((known) => known === name);
      if (!server) throw new Error(`--without: ${name} is not redis or nats, like nats or redis,nats`);
      return server;
    });
}
