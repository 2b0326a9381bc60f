import { X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Authority, type Certified, createAuthority, loadAuthority } from '#libs/identity/authority.js';

/** One that ends sooner is replaced. */
const LEAST_DAYS = 30;
const DAY_MS = 86_400_000;

/**
 * Certificates of one authority for these services, each in a folder of its name as TLS_DIR wants it. What is there already
 * and lasts for a month is kept, and so is the authority.
 */
export async function keepCertificates(directory: string, services: readonly string[]): Promise<void> {
  const authority = await keepAuthority(join(directory, 'authority'));
  for (const service of services) {
    const folder = join(directory, service);
    if (!lasts(folder, authority)) write(folder, await authority.issue(service), authority.cert);
  }
}

async function keepAuthority(folder: string): Promise<Authority> {
  if (existsSync(join(folder, 'cert.pem'))) return loadAuthority(read(folder));
  const authority = await createAuthority();
  write(folder, authority);
  return authority;
}

function lasts(folder: string, authority: Certified): boolean {
  if (!existsSync(join(folder, 'cert.pem'))) return false;
  const certificate = new X509Certificate(read(folder).cert);
  const isOurs = certificate.verify(new X509Certificate(authority.cert).publicKey);
  return isOurs && Date.parse(certificate.validTo) > Date.now() + LEAST_DAYS * DAY_MS;
}

function read(folder: string): Certified {
  const text = (name: string): string => readFileSync(join(folder, name), 'utf8');
  return { cert: text('cert.pem'), key: text('key.pem') };
}

/** The certificate last: whoever sees it sees the rest as well. */
function write(folder: string, { cert, key }: Certified, ca?: string): void {
  mkdirSync(folder, { recursive: true });
  if (ca !== undefined) writeFileSync(join(folder, 'ca.pem'), ca);
  writeFileSync(join(folder, 'key.pem'), key, { mode: 0o600 });
  writeFileSync(join(folder, 'cert.pem'), cert);
}
