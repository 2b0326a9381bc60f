import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { MESH_DIRECTORY } from '#libs/mesh/mesh-file.js';
import { testIdentityDirectory } from '#libs/testing/test-issuer.js';
import { type Mesh, type MeshOptions, startMesh } from '../local/mesh.js';

/**
 * Runs `work` on a mesh of its own, with private servers; nothing of it stays, however it ends. Ctrl-C ends it too. It
 * believes the tokens of the drivers. Its folder is a temporary one where the mesh of this machine has its own: on another disk a commit would cost something else.
 */
export async function withPrivateMesh<Result>(
  options: Omit<MeshOptions, 'directory'>,
  work: (mesh: Mesh, directory: string) => Promise<Result>,
): Promise<Result> {
  mkdirSync(MESH_DIRECTORY, { recursive: true });
  const directory = mkdtempSync(join(MESH_DIRECTORY, 'calibrate-'));
  chmodSync(directory, 0o755); // Under root Postgres runs as another user, who has to get in.
  let mesh: Mesh | undefined;
  const end = async (): Promise<void> => {
    await mesh?.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  const interrupted = (): void => void end().finally(() => process.exit(130));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupted);
  try {
    mesh = await startMesh({ ...options, directory, identity: testIdentityDirectory() });
    return await work(mesh, directory);
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupted);
    await end();
  }
}
