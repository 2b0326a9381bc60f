import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { settingsPage } from './page.js';

const file = fileURLToPath(new URL('../../../docs/settings.md', import.meta.url));
writeFileSync(file, settingsPage());
console.log(`wrote ${file}`);
