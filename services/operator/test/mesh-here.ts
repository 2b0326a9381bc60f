import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTokenVerifier } from '#libs/identity/token-verifier.js';
import { writeMeshFile } from '#libs/mesh/mesh-file.js';
import type { Authorize } from '#libs/rpc/service.js';
import { testIdentity, testIdentityDirectory } from '#libs/testing/test-issuer.js';

/** The folder of a mesh that runs on this machine, but for its processes: commands find their tokens by it. */
export const meshDirectory = mkdtempSync(join(tmpdir(), 'holdfast-here-'));
process.once('exit', () => rmSync(meshDirectory, { recursive: true, force: true }));

// That of tests: meshes in the process of a test believe it, too.
const identity = testIdentityDirectory();
writeMeshFile(meshDirectory, { http: '', gateway: '', identity, services: {}, infra: { postgres: { url: '' } } });

const { TOKEN_ISSUER: issuer, TOKEN_AUDIENCE: audience, TOKEN_KEYS: keys } = testIdentity();
const verifier = createTokenVerifier({
  ...{ issuer, audience, keys },
  algorithms: ['EdDSA'],
  cacheMax: 100,
});

/** Believes its tokens, as a gateway of that mesh does. */
export const authorize: Authorize = (call) => verifier.verify(call.metadata('authorization'));
