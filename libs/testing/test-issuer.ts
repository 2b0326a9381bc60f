import { createPrivateKey } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTokenIssuer, type TokenWish } from '#libs/identity/token-issuer.js';

const issuer = 'https://issuer.test';
const audience = 'holdfast-of-tests';

/** The head of an Ed25519 private key in PKCS #8; 32 bytes of key follow. The same in all processes of a test. */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex');
const privateKey = createPrivateKey({
  key: Buffer.concat([pkcs8Head, Buffer.alloc(32, 'tests only')]),
  format: 'der',
  type: 'pkcs8',
});
const testIssuer = createTokenIssuer({ issuer, audience, privateKey });

/** No test takes so long. */
const seconds = 24 * 3_600;
const issued = new Map<string, string>();

/** A token that services under test believe; the same text for the same wish, as an app keeps its token. */
export function tokenOf(userId: string, wish: TokenWish = {}): string {
  const key = JSON.stringify([userId, wish]);
  const token = issued.get(key) ?? testIssuer.tokenOf(userId, { seconds, ...wish });
  issued.set(key, token);
  return token;
}

/** The value of an `authorization` header. */
export function bearerOf(userId: string, wish: TokenWish = {}): string {
  return `Bearer ${tokenOf(userId, wish)}`;
}

let keysPath: string | undefined;

/** The settings by which a service believes tokens of tokenOf. */
export function testIdentity(): { TOKEN_ISSUER: string; TOKEN_AUDIENCE: string; TOKEN_KEYS: string } {
  keysPath ??= writeKeys();
  return { TOKEN_ISSUER: issuer, TOKEN_AUDIENCE: audience, TOKEN_KEYS: keysPath };
}

function writeKeys(): string {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-test-issuer-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, 'keys.json');
  writeFileSync(path, JSON.stringify(testIssuer.keySet));
  return path;
}
