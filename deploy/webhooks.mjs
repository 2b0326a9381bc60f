// npm run webhooks: takes webhooks as a store does, as examples/webhooks.ts says.
import { runExample } from './example.mjs';

await runExample('webhooks');
