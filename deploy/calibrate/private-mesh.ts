import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Mesh, type MeshOptions, startMesh } from '../local/mesh.js';

/**
 * Runs `work` on a mesh of its own, with private servers in a temporary folder; nothing of it stays, however it ends.
 * Ctrl-C ends it too.
 */
export async function withPrivateMesh<Result>(
  options: Omit<MeshOptions, 'directory'>,
  work: (mesh: Mesh, directory: string) => Promise<Result>,
): Promise<Result> {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-calibrate-'));
  chmodSync(directory, 0o755); // Under root Postgres runs as another user, who has to get in.
  let mesh: Mesh | undefined;
  const end = async (): Promise<void> => {
    await mesh?.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  const interrupted = (): void => void end().finally(() => process.exit(130));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupted);
  try {
    mesh = await startMesh({ ...options, directory });
    return await work(mesh, directory);
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupted);
    await end();
  }
}
