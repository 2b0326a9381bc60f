// npm run book: books a unit through gRPC, as examples/book.ts says.
import { prepare } from './prepare.mjs';

prepare();
await import('../dist/examples/book.js');
