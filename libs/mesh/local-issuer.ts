import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTokenIssuer, type TokenIssuer } from '#libs/identity/token-issuer.js';

const issuer = 'holdfast-local';
const audience = 'holdfast';
const serviceSeconds = 30 * 24 * 3_600;

/** The issuer of a mesh on one machine. Whoever can read its folder can be anybody. */
export interface LocalIssuer extends Pick<TokenIssuer, 'tokenOf'> {
  /** The settings by which services believe its tokens, and the edge has one of its own. */
  readonly settings: Readonly<Record<string, string>>;
}

/** Opens the issuer of that folder. Its key is kept between starts, and made where there is none. */
export function openLocalIssuer(directory: string): LocalIssuer {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const { tokenOf, keySet } = createTokenIssuer({ issuer, audience, privateKey: keyIn(directory) });
  const keysPath = join(directory, 'keys.json');
  const serviceTokenPath = join(directory, 'bff.token');
  replace(keysPath, `${JSON.stringify(keySet, null, 2)}\n`);
  replace(serviceTokenPath, `${tokenOf('bff', { role: 'SERVICE', seconds: serviceSeconds })}\n`);
  return {
    tokenOf,
    settings: {
      ...{ TOKEN_ISSUER: issuer, TOKEN_AUDIENCE: audience, TOKEN_KEYS: keysPath },
      SERVICE_TOKEN_PATH: serviceTokenPath,
    },
  };
}

/** Issues tokens for a mesh that runs, by the folder that its mesh.json names. Throws when the key cannot be read. */
export function localTokens(directory: string): LocalIssuer['tokenOf'] {
  const privateKey = createPrivateKey(readFileSync(keyPathIn(directory)));
  return createTokenIssuer({ issuer, audience, privateKey }).tokenOf;
}

function keyIn(directory: string) {
  try {
    return createPrivateKey(readFileSync(keyPathIn(directory)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const { privateKey } = generateKeyPairSync('ed25519');
  replace(keyPathIn(directory), privateKey.export({ format: 'pem', type: 'pkcs8' }).toString());
  return privateKey;
}

function keyPathIn(directory: string): string {
  return join(directory, 'key.pem');
}

/** Readers see the old file or the new one, never half of one. */
function replace(path: string, text: string): void {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, path);
}
