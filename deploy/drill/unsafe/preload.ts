// Loaded into a service before its own code: from here on one export of one module is what an unsafe twin makes of it.
import { register } from 'node:module';

const asked = new URL(import.meta.url).searchParams;

register(new URL('./replace-export.js', import.meta.url), { data: Object.fromEntries(asked) });
