// npm run certificates -- FOLDER: certificates for the services of a mesh, from an authority of its own.
import { prepare } from './prepare.mjs';

prepare();
await import('../dist/deploy/certificates/main.js');
