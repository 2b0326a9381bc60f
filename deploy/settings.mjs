// npm run settings: writes docs/settings.md from the code that reads the settings.
import { prepare } from './prepare.mjs';

prepare();
await import('../dist/deploy/settings/main.js');
