#!/usr/bin/env node
// npx --no-install holdfast, or npm run holdfast: the operators' commands.
import { prepare } from './prepare.mjs';

prepare();
await import('../dist/services/operator/src/main.js');
