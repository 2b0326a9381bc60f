// npm run notify: writes a text for each change of who waits, as examples/notify.ts says.
import { runExample } from './example.mjs';

await runExample('notify');
