import { runService } from '#libs/runtime/run-service.js';
import { readConfig } from './config.js';
import { startGateway } from './service.js';

await runService('gateway', readConfig, startGateway);
