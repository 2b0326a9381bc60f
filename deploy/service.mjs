// npm run service: another team's service that books through gRPC, as examples/service.ts says.
import { prepare } from './prepare.mjs';

prepare();
await import('../dist/examples/service.js');
