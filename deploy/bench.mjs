// npm run bench: what fast means here, measured side by side with what it is compared with.
import { prepare } from './prepare.mjs';

prepare();
await import('../dist/bench/run.js');
