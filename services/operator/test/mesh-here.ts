import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTokenVerifier } from '#libs/identity/token-verifier.js';
import { openLocalIssuer } from '#libs/mesh/local-issuer.js';
import { writeMeshFile } from '#libs/mesh/mesh-file.js';
import type { Authorize } from '#libs/rpc/service.js';

/** The folder of a mesh that runs on this machine, but for its processes: commands find their tokens by it. */
export const meshDirectory = mkdtempSync(join(tmpdir(), 'holdfast-here-'));
process.once('exit', () => rmSync(meshDirectory, { recursive: true, force: true }));

const identity = join(meshDirectory, 'identity');
const { settings } = openLocalIssuer(identity);
writeMeshFile(meshDirectory, { http: '', gateway: '', identity, services: {}, infra: { postgres: { url: '' } } });

const verifier = createTokenVerifier({
  issuer: settings.TOKEN_ISSUER ?? '',
  audience: settings.TOKEN_AUDIENCE ?? '',
  keys: settings.TOKEN_KEYS ?? '',
  algorithms: ['EdDSA'],
  cacheMax: 100,
});

/** Believes its tokens, as a gateway of that mesh does. */
export const authorize: Authorize = (call) => verifier.verify(call.metadata('authorization'));
