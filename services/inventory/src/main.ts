import { runService } from '#libs/runtime/run-service.js';
import { readConfig } from './config.js';
import { startInventory } from './service.js';

await runService('inventory', readConfig, startInventory);
