// npm run simulate: random schedules of everything that can go wrong, in a model driven through the real rules.
import { prepare } from './prepare.mjs';

prepare();
await import('../dist/simulation/main.js');
