import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import type { experimental } from '@grpc/grpc-js';
import type { Logger } from '#libs/runtime/logger.js';

type CertificateProvider = experimental.CertificateProvider;
type CaListener = Parameters<CertificateProvider['addCaCertificateListener']>[0];
type IdentityListener = Parameters<CertificateProvider['addIdentityCertificateListener']>[0];

const LOOK_EVERY_MS = 1_000;

/** Contents of the files, as they are used together. `ca` holds one certificate or several, each of which is trusted. */
interface Certificates {
  ca: Buffer;
  certificate: Buffer;
  privateKey: Buffer;
}

export interface TlsFilesOptions {
  /** Holds cert.pem, key.pem and, unless nobody is asked for a certificate, ca.pem. */
  directory: string;
  /** Whether there is a ca.pem (yes). */
  trusts?: boolean;
  logger: Logger;
  /** How often the files are looked at (1 s). */
  lookEveryMs?: number;
}

/**
 * The certificate of a process and whom it trusts, from files. New files hold for new connections, without a restart; those that
 * are open stay. Files that do not fit together, as in the middle of being written, change nothing until they do.
 */
export class TlsFiles implements CertificateProvider {
  readonly #options: TlsFilesOptions;
  readonly #caListeners = new Set<CaListener>();
  readonly #identityListeners = new Set<IdentityListener>();
  readonly #timer: NodeJS.Timeout;
  #current: Certificates;
  #complained = '';
  /** What was seen of the files before they were last read, and whether they were the same when that was done. */
  #seen = { marks: '', isSettled: false };

  /** Throws with what is wrong when the files cannot be used. */
  constructor(options: TlsFilesOptions) {
    this.#options = options;
    this.#current = this.#read();
    this.#timer = setInterval(() => this.#look(), options.lookEveryMs ?? LOOK_EVERY_MS).unref();
  }

  /** Until when the certificate is good. */
  get notAfter(): Date {
    return new Date(new X509Certificate(this.#current.certificate).validTo);
  }

  addCaCertificateListener(listener: CaListener): void {
    this.#caListeners.add(listener);
    // At once would be before the transport listens.
    process.nextTick(() => listener({ caCertificate: this.#current.ca }));
  }

  removeCaCertificateListener(listener: CaListener): void {
    this.#caListeners.delete(listener);
  }

  addIdentityCertificateListener(listener: IdentityListener): void {
    this.#identityListeners.add(listener);
    process.nextTick(() => listener(this.#current));
  }

  removeIdentityCertificateListener(listener: IdentityListener): void {
    this.#identityListeners.delete(listener);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    try {
      const marks = this.#marks();
      const isAsSeen = marks === this.#seen.marks;
      if (isAsSeen && this.#seen.isSettled) return;
      const read = this.#read();
      // Twice: what was written within the same tick of the file system's clock as what was read has the same marks.
      this.#seen = { marks, isSettled: isAsSeen };
      this.#complained = '';
      const { ca, certificate } = this.#current;
      if (read.ca.equals(ca) && read.certificate.equals(certificate)) return;
      this.#current = read;
      for (const listener of this.#caListeners) listener({ caCertificate: read.ca });
      for (const listener of this.#identityListeners) listener(read);
      this.#options.logger.info({ notAfter: this.notAfter }, 'new certificates hold from now on');
    } catch (error) {
      this.#seen = { marks: '', isSettled: false };
      const { message } = error as Error;
      if (message === this.#complained) return;
      this.#complained = message;
      this.#options.logger.warn({ err: error }, 'the certificates cannot be used, those from before still hold');
    }
  }

  /** What differs when a file was written or replaced, also by way of a link. */
  #marks(): string {
    const { directory, trusts = true } = this.#options;
    const names = trusts ? ['ca.pem', 'cert.pem', 'key.pem'] : ['cert.pem', 'key.pem'];
    const marks = names.map((name) => {
      const { ino, size, mtimeNs, ctimeNs } = statSync(join(directory, name), { bigint: true });
      return [ino, size, mtimeNs, ctimeNs].join();
    });
    return marks.join(';');
  }

  #read(): Certificates {
    const { directory, trusts = true } = this.#options;
    const file = (name: string): Buffer => readFileSync(join(directory, name));
    const read = {
      ca: trusts ? file('ca.pem') : Buffer.alloc(0),
      certificate: file('cert.pem'),
      privateKey: file('key.pem'),
    };
    try {
      createSecureContext({ cert: read.certificate, key: read.privateKey, ...(trusts && { ca: read.ca }) });
    } catch (cause) {
      const names = `${trusts ? 'ca.pem, ' : ''}cert.pem and key.pem`;
      throw new Error(`${names} of ${directory} do not fit together: ${(cause as Error).message}`, { cause });
    }
    return read;
  }
}
