import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { nodeFlags } from '#libs/runtime/node-flags.js';
import { freePort } from '#libs/servers/free-port.js';
import { type FaultProxy, faultProxy } from '#libs/testing/fault-proxy.js';
import { testIdentity } from '#libs/testing/test-issuer.js';
import { until } from '#libs/testing/until.js';
import type { ServiceName } from '../deploy/local/topology.js';
import { metricAt } from './metric-at.js';

/** Whom a service talks to: servers by their URL, services by `host:port`. */
export type Upstreams = Partial<Record<'postgres' | 'redis' | 'nats' | 'gateway' | 'inventory' | 'order', string>>;
type Upstream = keyof Upstreams;

const settings: Record<Upstream, string> = {
  postgres: 'DATABASE_URL',
  redis: 'REDIS_URL',
  nats: 'NATS_URL',
  gateway: 'GATEWAY_TARGET',
  inventory: 'INVENTORY_TARGET',
  order: 'ORDER_TARGET',
};
const leash = new URL('../deploy/local/leash.js', import.meta.url).href;
const readyTimeoutMs = 30_000;

/**
 * A service as a process of its own, to be killed: each way to others leads through a stretch of network that a test can
 * disturb, so that it stops exactly between two steps. It lives as long as the test's process at most.
 */
export class Victim {
  #child: ChildProcess;

  private constructor(
    readonly service: ServiceName,
    readonly env: Record<string, string>,
    private readonly links: Partial<Record<Upstream, FaultProxy>>,
  ) {
    this.#child = this.#spawn();
  }

  /** Resolves when it is ready. */
  static async start(service: ServiceName, upstreams: Upstreams, env: Record<string, string> = {}): Promise<Victim> {
    const links: Partial<Record<Upstream, FaultProxy>> = {};
    const named: Record<string, string> = {};
    for (const [name, target] of Object.entries(upstreams) as [Upstream, string][]) {
      const isUrl = target.includes('://');
      const { hostname, port } = new URL(isUrl ? target : `tcp://${target}`);
      const link = await faultProxy(hostname, Number(port));
      links[name] = link;
      named[settings[name]] = isUrl ? link.url(target) : `127.0.0.1:${link.port}`;
    }
    const [own, admin] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
    const addresses = { [service === 'bff' ? 'HTTP_ADDRESS' : 'GRPC_ADDRESS']: own, ADMIN_ADDRESS: admin };
    const victim = new Victim(
      service,
      { LOG_LEVEL: 'silent', ...testIdentity(), ...addresses, ...named, ...env },
      links,
    );
    await victim.#ready();
    return victim;
  }

  /** Where it serves, `host:port`; the same in each of its lives. */
  get address(): string {
    return this.env.GRPC_ADDRESS ?? this.env.HTTP_ADDRESS ?? '';
  }

  link(name: Upstream): FaultProxy {
    const link = this.links[name];
    if (link === undefined) throw new Error(`${this.service} does not talk to ${name}`);
    return link;
  }

  /** SIGKILL; resolves when it is gone. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }

  /** Kills it if need be, heals every link and starts it again where it was; resolves when it is ready. */
  async restart(): Promise<void> {
    await this.kill();
    for (const link of Object.values(this.links)) link.heal();
    this.#child = this.#spawn();
    await this.#ready();
  }

  async isReady(): Promise<boolean> {
    return (await this.#ask('readyz')).ok;
  }

  /** What it tells about itself. */
  async stats(): Promise<Record<string, unknown>> {
    return (await (await this.#ask('stats')).json()) as Record<string, unknown>;
  }

  /** A metric of its own, summed over all samples whose name and labels begin like this. */
  metric(prefix: string): Promise<number> {
    return metricAt(this.env.ADMIN_ADDRESS ?? '', prefix);
  }

  async close(): Promise<void> {
    await this.kill();
    await Promise.all(Object.values(this.links).map((link) => link.close()));
  }

  #spawn(): ChildProcess {
    const program = fileURLToPath(new URL(`../services/${this.service}/src/main.js`, import.meta.url));
    return spawn(process.execPath, [...nodeFlags, '--import', leash, program], {
      env: { ...process.env, ...this.env },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
  }

  async #ready(): Promise<void> {
    const describe = `${this.service} is ready`;
    await until(() => this.isReady(), { timeoutMs: readyTimeoutMs, describe });
  }

  #ask(path: string): Promise<Response> {
    return fetch(`http://${this.env.ADMIN_ADDRESS}/${path}`, { signal: AbortSignal.timeout(2_000) });
  }
}
