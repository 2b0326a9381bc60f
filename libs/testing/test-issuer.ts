import { createPrivateKey } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TokenWish } from '#libs/identity/token-issuer.js';
import { type LocalIssuer, openLocalIssuer } from '#libs/mesh/local-issuer.js';

/** The head of an Ed25519 private key in PKCS #8; 32 bytes of key follow. The same in all processes of a test. */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex');
/** No test takes so long. */
const seconds = 24 * 3_600;

interface TestIdentity extends Readonly<Record<string, string>> {
  readonly TOKEN_ISSUER: string;
  readonly TOKEN_AUDIENCE: string;
  readonly TOKEN_KEYS: string;
  readonly SERVICE_TOKEN_PATH: string;
}

let opened: { directory: string; issuer: LocalIssuer } | undefined;
const issued = new Map<string, string>();

/** A token that services under test believe; the same text for the same wish, as an app keeps its token. */
export function tokenOf(userId: string, wish: TokenWish = {}): string {
  const key = JSON.stringify([userId, wish]);
  const token = issued.get(key) ?? open().issuer.tokenOf(userId, { seconds, ...wish });
  issued.set(key, token);
  return token;
}

/** The value of an `authorization` header. */
export function bearerOf(userId: string, wish: TokenWish = {}): string {
  return `Bearer ${tokenOf(userId, wish)}`;
}

/** The settings by which a service believes tokens of tokenOf, and an edge has one of its own. */
export function testIdentity(): TestIdentity {
  return open().issuer.settings as TestIdentity;
}

/** The folder of the issuer, for a mesh that shall believe it. */
export function testIdentityDirectory(): string {
  return open().directory;
}

function open(): { directory: string; issuer: LocalIssuer } {
  if (opened === undefined) {
    const directory = mkdtempSync(join(tmpdir(), 'holdfast-test-issuer-'));
    process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
    const key = Buffer.concat([pkcs8Head, Buffer.alloc(32, 'tests only')]);
    const privateKey = createPrivateKey({ key, format: 'der', type: 'pkcs8' });
    writeFileSync(join(directory, 'key.pem'), privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 });
    opened = { directory, issuer: openLocalIssuer(directory) };
  }
  return opened;
}
