import type { PeerCertificate } from 'node:tls';
import { type ChannelCredentials, experimental, type ServerCredentials } from '@grpc/grpc-js';
import { Fault } from '#libs/refusal/fault.js';
import type { Lifecycle } from '#libs/runtime/lifecycle.js';
import { serviceNamed } from './certificate-name.js';
import type { Authorize } from './service.js';
import type { Target } from './target.js';
import { TlsFiles } from './tls-files.js';

/** How the services of a mesh know each other: by certificates of one authority, which name the service. */
export interface Tls {
  /** For a server whose clients have to show a certificate. */
  readonly server: ServerCredentials;
  /** The target, where only the named service may answer. */
  to(service: string, addresses: string): Target;
}

/** Opens the files of a directory for the life of a process; undefined without one: then nothing is encrypted and nobody is asked. */
export function openTls(directory: string | undefined, life: Lifecycle): Tls | undefined {
  if (directory === undefined) return undefined;
  const files = new TlsFiles({ directory, logger: life.logger });
  life.closer('certificates', () => files.close());
  return tlsBy(files);
}

/** As openTls, with files that somebody else closes. */
export function tlsBy(files: TlsFiles): Tls {
  // The transport shares connections among credentials that are the same object.
  const byService = new Map<string, ChannelCredentials>();
  const credentialsTo = (service: string): ChannelCredentials => {
    const verify = { checkServerIdentity: onlyNamed(service) };
    const made =
      byService.get(service) ?? experimental.createCertificateProviderChannelCredentials(files, files, verify);
    byService.set(service, made);
    return made;
  };
  return {
    server: experimental.createCertificateProviderServerCredentials(files, files, true),
    to: (service, addresses) => ({ addresses, credentials: credentialsTo(service), serverName: service }),
  };
}

/** For a server whose clients show tokens in place of certificates: cert.pem and key.pem of the directory. */
export function openPublicTls(directory: string, life: Lifecycle): ServerCredentials {
  const files = new TlsFiles({ directory, trusts: false, logger: life.logger });
  life.closer('public certificate', () => files.close());
  return experimental.createCertificateProviderServerCredentials(files, null, false);
}

/** The target of a service: by TLS where there is one. */
export function targetOf(tls: Tls | undefined, service: string, addresses: string): Target {
  return tls?.to(service, addresses) ?? addresses;
}

/** Lets in the services that are named, as their certificates say; everybody where there is no TLS. */
export function onlyFrom(tls: Tls | undefined, callers: readonly string[]): { authorize?: Authorize } {
  if (tls === undefined) return {};
  return {
    authorize(call) {
      const name = call.peerName ?? 'nobody';
      if (callers.includes(name)) return undefined;
      throw new Fault('PERMISSION_DENIED', `${name} may not call this service`, { metadata: { caller: name } });
    },
  };
}

/** The host does not count: processes move, and all of a mesh may be on one. */
function onlyNamed(service: string): (host: string, certificate: PeerCertificate) => Error | undefined {
  return (host, certificate) => {
    const name = serviceNamed(certificate);
    return name === service ? undefined : new Error(`${name ?? 'nobody'} answers at ${host} in place of ${service}`);
  };
}
