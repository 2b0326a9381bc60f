import { readFileSync } from 'node:fs';
import { localTokens } from '#libs/mesh/local-issuer.js';
import { readMeshFile } from '#libs/mesh/mesh-file.js';
import { UsageError } from './usage-error.js';

export interface TokenSources {
  /** The option --token-file. */
  tokenFile: string | undefined;
  env: { readonly HOLDFAST_TOKEN?: string | undefined };
  /** Who it is, for the mesh that runs on this machine. */
  operator: string | undefined;
  /** Where a mesh that runs on this machine leaves its mesh.json. */
  meshDirectory: string;
}

/** One command does not take longer. A page that is watched asks for a new one. */
const seconds = 3_600;

/**
 * What gives the token of the operator, when it is needed: the file of the option, else HOLDFAST_TOKEN, else one that is
 * issued here for the mesh that runs on this machine. Without any the gateway says that one is missing.
 */
export function operatorToken({ tokenFile, env, operator, meshDirectory }: TokenSources): () => string | undefined {
  if (tokenFile !== undefined) return () => tokenIn(tokenFile);
  const given = env.HOLDFAST_TOKEN ?? '';
  if (given !== '') return () => given;
  const identity = readMeshFile(meshDirectory)?.identity;
  if (identity === undefined || operator === undefined) return () => undefined;
  const tokenOf = localTokens(identity);
  let issuedAt = Number.NEGATIVE_INFINITY;
  let token = '';
  return () => {
    if (performance.now() - issuedAt > (seconds * 1_000) / 2) {
      token = tokenOf(operator, { role: 'OPERATOR', seconds });
      issuedAt = performance.now();
    }
    return token;
  };
}

function tokenIn(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new UsageError([`--token-file ${JSON.stringify(path)}: ${(error as Error).message}`]);
  }
}
