// npm test [-- NAME…]: builds, then runs the test files, or those whose path contains a NAME.
import { prepare } from './prepare.mjs';

prepare();
await import('../dist/libs/testing/run.js');
