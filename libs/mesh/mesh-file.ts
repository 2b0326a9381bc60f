import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where `npm start` keeps data, logs and mesh.json. */
export const MESH_DIRECTORY = fileURLToPath(new URL('../../../.holdfast', import.meta.url));

/** One process of a service; addresses are `host:port`. */
export interface MeshProcess {
  pid: number;
  /** Absent for the bff and the payment sandbox, which have `http` instead. */
  grpc?: string;
  http?: string;
  admin: string;
}

/** A server that the mesh rests on; `pid` is absent when it was given by URL and not started here. */
export interface MeshServer {
  url: string;
  pid?: number;
}

/** What `.holdfast/mesh.json` says about a running mesh. */
export interface MeshFile {
  /** Base URL of the HTTP edge. */
  http: string;
  /** `host:port` of one gateway. */
  gateway: string;
  /** The folder of the issuer whose tokens the mesh believes (libs/mesh/local-issuer.ts). */
  identity: string;
  services: Record<string, MeshProcess[]>;
  /** Where the certificate is by which tools reach the inner services; absent where those ask for none. */
  toolsTls?: string;
  /** Redis and NATS are absent where the mesh runs without them. */
  infra: { postgres: MeshServer; redis?: MeshServer; nats?: MeshServer };
}

const FILE = 'mesh.json';

/** The running mesh of that directory, or undefined when there is none. */
export function readMeshFile(directory: string): MeshFile | undefined {
  try {
    return JSON.parse(readFileSync(join(directory, FILE), 'utf8')) as MeshFile;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Readers see the old file or the new one, never half of one. */
export function writeMeshFile(directory: string, mesh: MeshFile): void {
  const draft = join(directory, `${FILE}.${process.pid}`);
  writeFileSync(draft, `${JSON.stringify(mesh, null, 2)}\n`);
  renameSync(draft, join(directory, FILE));
}

/** Forgets the mesh of that directory. */
export function removeMeshFile(directory: string): void {
  rmSync(join(directory, FILE), { force: true });
}
