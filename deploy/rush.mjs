// npm run rush: sends a crowd into a mesh and judges what became of it.
import { prepare } from './prepare.mjs';

prepare();
await import('../dist/deploy/rush/main.js');
