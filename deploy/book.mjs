// npm run book: books a unit through gRPC, as examples/book.ts says.
import { runExample } from './example.mjs';

await runExample('book');
