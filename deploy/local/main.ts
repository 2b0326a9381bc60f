import { inventoryOf } from '#libs/mesh/inventory-of.js';
import { MESH_DIRECTORY, type MeshFile } from '#libs/mesh/mesh-file.js';
import { canListen, freePort } from '#libs/servers/free-port.js';
import { type PageServer, pageUrl, startPageServer } from '../page/page-server.js';
import { runRush } from '../rush/rush.js';
import { scenarioNamed } from '../rush/scenarios/scenarios.js';
import { renderRun } from '../rush/table.js';
import { findLimits, overruling } from './find-limits.js';
import { givenServers } from './given-servers.js';
import { importSkus } from './import-skus.js';
import { shownLine } from './log-line.js';
import { type Mesh, startMesh } from './mesh.js';
import { sampleSkus } from './samples.js';
import { readOptions, START_HELP, type StartOptions } from './start-options.js';
import { DEFAULT_PORTS } from './topology.js';

/** Where the example page is served, if that is free. */
const PAGE_PORT = 8081;

await main();

async function main(): Promise<void> {
  let mesh: Mesh | undefined;
  let page: PageServer | undefined;
  try {
    const options = readOptions(process.argv.slice(2));
    if (options === undefined) {
      process.stdout.write(START_HELP);
      return;
    }
    const pagePort = options.page ? await pagePortNow() : undefined;
    mesh = await start(options, pagePort);
    if (pagePort !== undefined) page = await startPageServer(pagePort, mesh.describe().http);
    await importSkus(inventoryOf(mesh.describe()), sampleSkus(new Date()), { keepChanged: true });
    welcome(mesh.describe(), page);
    if (options.rush) await sampleRush(mesh);
    say('serving; Ctrl-C ends it');
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    await mesh?.stop();
    process.exit(1);
  }
}

async function pagePortNow(): Promise<number> {
  return (await canListen(PAGE_PORT)) ? PAGE_PORT : freePort();
}

async function start(options: StartOptions, pagePort: number | undefined): Promise<Mesh> {
  const { scale, without, httpPort, fresh, limits: named } = options;
  if (httpPort !== undefined && !(await canListen(httpPort))) throw new Error(`port ${httpPort} is taken`);
  const limits = findLimits(named, MESH_DIRECTORY, say);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  // Before all stands there is nothing to end in order: what was started notices that this process is gone.
  const giveUp = (): never => process.exit(130);
  for (const signal of signals) process.on(signal, giveUp);
  const colours = process.stdout.isTTY;
  // While all start at once, those that are up miss those that are not. A start that fails tells its reason itself.
  let up = false;
  const mesh = await startMesh({
    directory: MESH_DIRECTORY,
    keep: true,
    fresh,
    restartServers: true,
    sandbox: true,
    tls: true,
    scale,
    without,
    limits,
    // The page comes from another origin than the edge, which is asked by none that it was not told of.
    env: { ...overruling(limits, process.env), ...(pagePort !== undefined && { CORS_ORIGINS: originsOf(pagePort) }) },
    servers: givenServers(process.env),
    ports: { ...DEFAULT_PORTS, ...(httpPort === undefined ? {} : { http: httpPort }) },
    report: say,
    onLine: (name, line) => {
      const shown = up ? shownLine(name, line, colours) : undefined;
      if (shown !== undefined) console.log(shown);
    },
  });
  up = true;
  for (const signal of signals) {
    process.off(signal, giveUp);
    process.on(signal, () => void end(mesh));
  }
  return mesh;
}

let ending = false;

/** The first signal ends all in order; a second one does not wait. */
async function end(mesh: Mesh): Promise<void> {
  if (ending) process.exit(1);
  ending = true;
  say('stopping');
  await mesh.stop();
  process.exit(0);
}

function originsOf(port: number): string {
  return `http://127.0.0.1:${port},http://localhost:${port}`;
}

function welcome({ http, gateway, services }: MeshFile, page: PageServer | undefined): void {
  const order = '{"store_id":"kiln","lines":[{"sku_id":"kiln-mug","quantity":1}]}';
  console.log(`
Holdfast is up after ${seconds()} s.
  HTTP    ${http}
  gRPC    ${gateway} (the gateway; reflection is on)
  pay     http://${services.sandbox?.[0]?.http} (a provider that plays: no money moves)
  token   npx --no-install holdfast token ada (or --staff kiln, --service, --operator: who the mesh takes you for)
  stores  lindenhof (a clinic), aurora (a salon), kiln (a studio): ${http}/v1/stores/kiln/skus
  order   curl -si ${http}/v1/orders -H 'content-type: application/json' \\
            -H 'idempotency-key: my-first-order' \\
            -H "authorization: Bearer $(npx --no-install holdfast token ada)" -d '${order}'${page === undefined ? '' : `\n  page    ${pageUrl(page.origin, { api: http, store: 'kiln', sku: 'kiln-mug' })}`}
`);
}

async function sampleRush(mesh: Mesh): Promise<void> {
  const scenario = scenarioNamed('class', Date.now());
  if (!scenario) return;
  say(`a crowd comes: ${scenario.about}`);
  const { report, verdict, outcomes } = await runRush({
    mesh: mesh.describe(),
    scenario,
    terminal: process.stderr,
  });
  console.log(`${renderRun(report, verdict, outcomes)}\n`);
}

function say(line: string): void {
  console.log(`${seconds().padStart(6)} s  ${line}`);
}

function seconds(): string {
  return (performance.now() / 1000).toFixed(1);
}
