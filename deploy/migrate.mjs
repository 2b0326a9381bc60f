// npm run migrate: brings a database to the schema of this tree, or says what would be done.
import { prepare } from './prepare.mjs';

prepare();
await import('../dist/deploy/migrate/main.js');
