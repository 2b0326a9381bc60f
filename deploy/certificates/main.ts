import { keepCertificates } from '../local/certificates.js';
import { SERVICE_NAMES } from '../local/topology.js';

const HELP = `npm run certificates -- FOLDER

Makes an authority and a certificate for each service, in FOLDER/authority and FOLDER/SERVICE: what TLS_DIR wants. Those
that last for a month yet are kept; run it again each month, services take new files without a restart. Where there is
an authority already, let that one certify: each service needs the URI spiffe://holdfast/SERVICE, for server and client.
`;

const [folder] = process.argv.slice(2);
if (folder === undefined || folder.startsWith('-')) {
  process.stdout.write(HELP);
  process.exitCode = folder === '--help' ? 0 : 2;
} else {
  await keepCertificates(folder, [...SERVICE_NAMES, 'tools']);
  console.log(`${folder}: certificates for ${[...SERVICE_NAMES, 'tools'].join(', ')}`);
}
