// npm run service: another team's service that books through gRPC, as examples/service.ts says.
import { runExample } from './example.mjs';

await runExample('service');
