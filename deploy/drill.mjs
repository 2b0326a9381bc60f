// npm run drill: breaks a mesh of its own in the middle of a sale, and judges what became of it.
import { prepare } from './prepare.mjs';

prepare();
await import('../dist/deploy/drill/main.js');
