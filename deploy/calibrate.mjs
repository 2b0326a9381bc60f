// npm run calibrate: measures this machine and writes the limits that fit it.
import { prepare } from './prepare.mjs';

prepare();
await import('../dist/deploy/calibrate/main.js');
