import { MESH_DIRECTORY, type MeshFile } from '#libs/mesh/mesh-file.js';
import { canListen } from '#libs/servers/free-port.js';
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

await main();

async function main(): Promise<void> {
  let mesh: Mesh | undefined;
  try {
    const options = readOptions(process.argv.slice(2));
    if (options === undefined) {
      process.stdout.write(START_HELP);
      return;
    }
    mesh = await start(options);
    const inventory = mesh.describe().services.inventory?.[0]?.grpc ?? '';
    await importSkus(inventory, sampleSkus(new Date()), { keepChanged: true });
    welcome(mesh.describe());
    if (options.rush) await sampleRush(mesh);
    say('serving; Ctrl-C ends it');
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    await mesh?.stop();
    process.exit(1);
  }
}

async function start({ scale, without, httpPort, fresh, limits: named }: StartOptions): Promise<Mesh> {
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
    scale,
    without,
    limits,
    env: overruling(limits, process.env),
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

function welcome({ http, gateway, services }: MeshFile): void {
  const order = '{"store_id":"kiln","lines":[{"sku_id":"kiln-mug","quantity":1}]}';
  console.log(`
Holdfast is up after ${seconds()} s.
  HTTP    ${http}
  gRPC    ${gateway} (the gateway; reflection is on)
  pay     http://${services.sandbox?.[0]?.http} (a provider that plays: no money moves)
  stores  lindenhof (a clinic), aurora (a salon), kiln (a studio): ${http}/v1/stores/kiln/skus
  order   curl -si ${http}/v1/orders -H 'content-type: application/json' \\
            -H 'idempotency-key: my-first-order' -H 'x-holdfast-user: ada' \\
            -d '${order}'
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
