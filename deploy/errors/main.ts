import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { errorsPage } from './page.js';

const file = fileURLToPath(new URL('../../../docs/errors.md', import.meta.url));
writeFileSync(file, errorsPage());
console.log(`wrote ${file}`);
