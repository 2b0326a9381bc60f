import { runService } from '#libs/runtime/run-service.js';
import { readConfig } from './config.js';
import { startWebhook } from './service.js';

await runService('webhook', readConfig, startWebhook);
