// npm start: installs what is missing, builds, and runs a whole mesh on this machine.
import { prepare } from './prepare.mjs';

prepare();
await import('../dist/deploy/local/main.js');
