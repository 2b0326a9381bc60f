import { runService } from '#libs/runtime/run-service.js';
import { readConfig } from './config.js';
import { startSandbox } from './service.js';

await runService('sandbox', readConfig, startSandbox);
