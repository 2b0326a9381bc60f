import { runService } from '#libs/runtime/run-service.js';
import { readConfig } from './config.js';
import { startScheduler } from './service.js';

await runService('scheduler', readConfig, startScheduler);
