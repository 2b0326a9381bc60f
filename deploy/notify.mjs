// npm run notify: writes a text for each change of who waits, as examples/notify.ts says.
import { prepare } from './prepare.mjs';

prepare();
await import('../dist/examples/notify.js');
