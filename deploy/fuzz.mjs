// npm run fuzz: random bodies, bytes and frames into a mesh, and what became of it.
import { prepare } from './prepare.mjs';

prepare();
await import('../dist/deploy/fuzz/main.js');
