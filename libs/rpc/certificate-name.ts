import type { PeerCertificate } from 'node:tls';

/** Before the name of a service in the URI for which a certificate is: `spiffe://holdfast/inventory`. */
export const CERTIFICATE_NAMES_BEGIN = 'spiffe://holdfast/';

/** The service that a certificate names; undefined when it names none. The certificate was verified before. */
export function serviceNamed({ subjectaltname = '' }: Pick<PeerCertificate, 'subjectaltname'>): string | undefined {
  const names = subjectaltname.split(', ').filter((name) => name.startsWith(`URI:${CERTIFICATE_NAMES_BEGIN}`));
  return names[0]?.slice('URI:'.length + CERTIFICATE_NAMES_BEGIN.length);
}
