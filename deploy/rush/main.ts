import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MESH_DIRECTORY, type MeshFile, readMeshFile } from '#libs/mesh/mesh-file.js';
import { commandOf } from '#libs/servers/process-table.js';
import { givenServers } from '../local/given-servers.js';
import { startMesh } from '../local/mesh.js';
import { type RushArguments, readArguments } from './arguments.js';
import { rushHelp } from './help.js';
import { runRush } from './rush.js';
import { renderRun } from './table.js';

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

/** The exit code: 0 when the verdict is right, 1 when it is not. */
async function run(given: RushArguments): Promise<number> {
  const { scenario, json, limits, through } = given;
  const { mesh, leave } = await findOrStartMesh(given);
  try {
    const { report, verdict, outcomes } = await runRush({ mesh, scenario, limits, through, terminal: process.stderr });
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

async function findOrStartMesh({ scale, without }: RushArguments): Promise<Visit> {
  const running = readMeshFile(MESH_DIRECTORY);
  // A mesh that was killed leaves its file.
  if (running && commandOf(running.services.bff?.[0]?.pid ?? 0).includes('bff')) {
    const own = scale ? '--scale' : without && '--without';
    if (own) throw new Error(`a mesh runs already; ${own} is for one that the rush starts`);
    return { mesh: running, leave: async () => {} };
  }
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-rush-'));
  chmodSync(directory, 0o755); // Under root Postgres runs as another user, who has to get in.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));
  const mesh = await startMesh({
    directory,
    scale: scale ?? {},
    without: without ?? [],
    servers: givenServers(process.env),
    tls: true,
    report: console.error,
  });
  const leave = async (): Promise<void> => {
    await mesh.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  return { mesh: mesh.describe(), leave };
}
