import 'reflect-metadata'; // The library below wants it to be there first.
import { randomBytes, webcrypto } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  cryptoProvider,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

import { CERTIFICATE_NAMES_BEGIN } from '#libs/rpc/certificate-name.js';

// The library names the type of browsers.
cryptoProvider.set(webcrypto as unknown as Parameters<typeof cryptoProvider.set>[0]);

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 86_400_000;
/** Clocks of the machines of a mesh differ. */
const EARLIER_MS = 300_000;

/** A certificate and its private key, both as PEM. */
export interface Certified {
  cert: string;
  key: string;
}

/** Who certifies the services of a mesh: its own certificate is what they trust. */
export interface Authority extends Certified {
  /** For a service of that name, which both serves and calls; `days` from now (90), negative for one that is over. */
  issue(service: string, days?: number): Promise<Certified>;
}

/** A new authority. */
export async function createAuthority(): Promise<Authority> {
  const keys = await newKeys();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    ...{ serialNumber: serial(), name: 'CN=Holdfast mesh', keys, signingAlgorithm: algorithm },
    ...lasting(3_650),
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      // An authority and its successor have one name: by this they are told apart.
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return authorityOf(certificate, keys.privateKey, { cert: pem(certificate), key: await pemOf(keys) });
}

/** One that was created before. */
export async function loadAuthority(kept: Certified): Promise<Authority> {
  const [der] = PemConverter.decode(kept.key);
  if (der === undefined) throw new Error('the key of the authority is no PEM');
  const key = await webcrypto.subtle.importKey('pkcs8', der, algorithm, true, ['sign']);
  return authorityOf(new X509Certificate(kept.cert), key, kept);
}

function authorityOf(certificate: X509Certificate, signingKey: webcrypto.CryptoKey, kept: Certified): Authority {
  return {
    ...kept,
    async issue(service, days = 90) {
      const keys = await newKeys();
      const issued = await X509CertificateGenerator.create({
        ...{ serialNumber: serial(), subject: `CN=${service}`, issuer: certificate.subject },
        ...{ signingAlgorithm: algorithm, publicKey: keys.publicKey, signingKey },
        ...lasting(days),
        extensions: [
          new SubjectAlternativeNameExtension([
            { type: 'url', value: `${CERTIFICATE_NAMES_BEGIN}${service}` },
            { type: 'dns', value: 'localhost' },
            { type: 'ip', value: '127.0.0.1' },
          ]),
          await AuthorityKeyIdentifierExtension.create(certificate.publicKey),
          new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.clientAuth]),
        ],
      });
      return { cert: pem(issued), key: await pemOf(keys) };
    },
  };
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']) as Promise<webcrypto.CryptoKeyPair>;
}

/** With its last line ended, so that several can follow each other in a file. */
function pem(certificate: X509Certificate): string {
  return `${certificate.toString('pem')}\n`;
}

async function pemOf({ privateKey }: webcrypto.CryptoKeyPair): Promise<string> {
  return PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', privateKey), 'PRIVATE KEY');
}

function lasting(days: number): { notBefore: Date; notAfter: Date } {
  const end = Date.now() + days * DAY_MS;
  return { notBefore: new Date(Math.min(Date.now(), end) - EARLIER_MS), notAfter: new Date(end) };
}

function serial(): string {
  // Positive: the first bit is that of the sign.
  return `01${randomBytes(15).toString('hex')}`;
}
