// npm run package: makes @holdfast/client as others install it, as deploy/package/main.ts says.
import { prepare } from './prepare.mjs';

prepare();
await import('../dist/deploy/package/main.js');
