import { createTokenVerifier } from '#libs/identity/token-verifier.js';
import { testIdentity } from '#libs/testing/test-issuer.js';

const { TOKEN_ISSUER: issuer, TOKEN_AUDIENCE: audience, TOKEN_KEYS: keys } = testIdentity();

/** A rival asks who calls as the mesh does: what is measured is the rest. */
export const rivalVerifier = createTokenVerifier({ issuer, audience, keys, algorithms: ['EdDSA'], cacheMax: 50_000 });
