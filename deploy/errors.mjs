// npm run errors: writes docs/errors.md from the catalogue of reasons.
import { prepare } from './prepare.mjs';

prepare();
await import('../dist/deploy/errors/main.js');
