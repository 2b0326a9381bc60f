// npm run webhooks: takes webhooks as a store does, as examples/webhooks.ts says.
import { prepare } from './prepare.mjs';

prepare();
await import('../dist/examples/webhooks.js');
