import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Mesh, startMesh } from '../local/mesh.js';

/** No limit shall be what refuses. */
const unlimited = {
  USER_RATE_PER_SECOND: '1000000',
  USER_RATE_BURST: '1000000',
  CALLER_RATE_PER_SECOND: '1000000',
  CALLER_RATE_BURST: '1000000',
};

/** Runs `body` on a mesh of its own, which is gone afterwards. */
export async function onPrivateMesh<Result>(
  report: (line: string) => void,
  body: (mesh: Mesh) => Promise<Result>,
): Promise<Result> {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-fuzz-'));
  chmodSync(directory, 0o755); // Under root Postgres runs as another user, who has to get in.
  try {
    const mesh = await startMesh({ directory, env: unlimited, sandbox: true, tls: true, report });
    try {
      return await body(mesh);
    } finally {
      await mesh.stop();
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
