import { runService } from '#libs/runtime/run-service.js';
import { readConfig } from './config.js';
import { startOrder } from './service.js';

await runService('order', readConfig, startOrder);
