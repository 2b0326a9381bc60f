import { runService } from '#libs/runtime/run-service.js';
import { readConfig } from './config.js';
import { startBff } from './service.js';

await runService('bff', readConfig, startBff);
