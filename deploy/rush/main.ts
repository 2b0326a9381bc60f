import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { MESH_DIRECTORY, type MeshFile, readMeshFile } from '#libs/mesh/mesh-file.js';
import { commandOf } from '#libs/servers/process-table.js';
import { givenServers } from '../local/given-servers.js';
import { startMesh } from '../local/mesh.js';
import { parseScale, type Scale } from '../local/topology.js';
import { rushHelp } from './help.js';
import { runRush } from './rush.js';
import { type Scenario, spread } from './scenario.js';
import { readScenarioFile } from './scenario-file.js';
import { scenarioNamed } from './scenarios/scenarios.js';
import { renderRun } from './table.js';

interface RushArguments {
  scenario: Scenario;
  json: boolean;
  /** Undefined when nothing was said. */
  scale?: Scale;
}

await main();

async function main(): Promise<void> {
  let given: RushArguments | undefined;
  try {
    given = readArguments(process.argv.slice(2));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(2);
  }
  if (!given) {
    process.stdout.write(rushHelp());
    return;
  }
  try {
    process.exitCode = await run(given);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}

/** Undefined when help is wanted. */
function readArguments(args: string[]): RushArguments | undefined {
  const { values } = parseArgs({
    args,
    options: {
      scenario: { type: 'string', default: 'class' },
      json: { type: 'boolean', default: false },
      scale: { type: 'string' },
      over: { type: 'string' },
      seed: { type: 'string', default: '1' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const scenario = scenarioNamed(values.scenario, Number(values.seed)) ?? readScenarioFile(values.scenario);
  const overSeconds = Number(values.over ?? 0);
  if (!(overSeconds >= 0 && overSeconds <= 86_400)) throw new Error(`--over: ${values.over} is no number of seconds`);
  return {
    scenario: values.over === undefined ? scenario : spread(scenario, overSeconds),
    json: values.json,
    ...(values.scale === undefined ? {} : { scale: parseScale(values.scale) }),
  };
}

/** The exit code: 0 when the verdict is right, 1 when it is not. */
async function run({ scenario, json, scale }: RushArguments): Promise<number> {
  const { mesh, leave } = await findOrStartMesh(scale);
  try {
    const { report, verdict, outcomes } = await runRush({ mesh, scenario, terminal: process.stderr });
    if (json) {
      for (const failure of verdict.failures) console.error(failure);
      console.log(JSON.stringify(report));
    } else {
      console.log(renderRun(report, verdict, outcomes));
    }
    return verdict.failures.length === 0 ? 0 : 1;
  } finally {
    await leave();
  }
}

interface Visit {
  mesh: MeshFile;
  /** Stops the mesh when it was started for this run. */
  leave(): Promise<void>;
}

async function findOrStartMesh(scale: Scale | undefined): Promise<Visit> {
  const running = readMeshFile(MESH_DIRECTORY);
  // A mesh that was killed leaves its file.
  if (running && commandOf(running.services.bff?.[0]?.pid ?? 0).includes('bff')) {
    if (scale) throw new Error('a mesh runs already; --scale is for one that the rush starts');
    return { mesh: running, leave: async () => {} };
  }
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-rush-'));
  chmodSync(directory, 0o755); // Under root Postgres runs as another user, who has to get in.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));
  const mesh = await startMesh({
    directory,
    scale: scale ?? {},
    servers: givenServers(process.env),
    report: console.error,
  });
  const leave = async (): Promise<void> => {
    await mesh.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  return { mesh: mesh.describe(), leave };
}
