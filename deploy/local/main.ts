import { parseArgs } from 'node:util';
import { MESH_DIRECTORY, type MeshFile } from '#libs/mesh/mesh-file.js';
import { canListen } from '#libs/servers/free-port.js';
import { runRush } from '../rush/rush.js';
import { scenarioNamed } from '../rush/scenarios/scenarios.js';
import { renderRun } from '../rush/table.js';
import { givenServers } from './given-servers.js';
import { importSkus } from './import-skus.js';
import { shownLine } from './log-line.js';
import { type Mesh, startMesh } from './mesh.js';
import { sampleSkus } from './samples.js';
import { DEFAULT_PORTS, parseScale, type Scale } from './topology.js';

const HELP = `npm start [-- OPTIONS]    runs all of Holdfast on this machine, until Ctrl-C

  --scale gateway=2,inventory=3,order=2,scheduler=2
                          several processes of a service, with the work spread over them
  --http-port PORT        the port of the HTTP edge (8080, or a free one when that is taken)
  --fresh                 forgets what earlier starts have sold
  --no-rush               leaves out the crowd that fights for a sample slot at the start
  --help                  this page

Postgres, Redis and NATS are found on this machine, or installed, and run privately with their data in .holdfast/.
DATABASE_URL, REDIS_URL and NATS_URL name servers of yours to be used instead. Everything that services log is in
.holdfast/logs/, warnings are shown here too. .holdfast/mesh.json says where every process listens.

While it runs, in another terminal:
  npm run rush -- --help  crowds to send in
`;

await main();

async function main(): Promise<void> {
  let mesh: Mesh | undefined;
  try {
    const options = readOptions(process.argv.slice(2));
    if (options === undefined) return;
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

interface StartOptions {
  scale: Scale;
  httpPort?: number;
  fresh: boolean;
  rush: boolean;
}

/** Undefined when there is nothing to start. */
function readOptions(args: string[]): StartOptions | undefined {
  const { values } = parseArgs({
    args,
    options: {
      scale: { type: 'string', default: '' },
      'http-port': { type: 'string' },
      fresh: { type: 'boolean', default: false },
      'no-rush': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return undefined;
  }
  const port = values['http-port'];
  if (port !== undefined && !/^[1-9]\d{0,4}$/.test(port)) throw new Error(`--http-port: ${port} is no port`);
  return {
    scale: parseScale(values.scale),
    ...(port === undefined ? {} : { httpPort: Number(port) }),
    fresh: values.fresh,
    rush: !values['no-rush'],
  };
}

async function start({ scale, httpPort, fresh }: StartOptions): Promise<Mesh> {
  if (httpPort !== undefined && !(await canListen(httpPort))) throw new Error(`port ${httpPort} is taken`);
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
    scale,
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

function welcome({ http, gateway }: MeshFile): void {
  const order = '{"store_id":"kiln","lines":[{"sku_id":"kiln-mug","quantity":1}]}';
  console.log(`
Holdfast is up after ${seconds()} s.
  HTTP    ${http}
  gRPC    ${gateway} (the gateway; reflection is on)
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
  const { report, verdict, outcomes } = await runRush({ mesh: mesh.describe(), scenario, terminal: process.stderr });
  console.log(`${renderRun(report, verdict, outcomes)}\n`);
}

function say(line: string): void {
  console.log(`${seconds().padStart(6)} s  ${line}`);
}

function seconds(): string {
  return (performance.now() / 1000).toFixed(1);
}
