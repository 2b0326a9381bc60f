import { SERVICE_NAMES, type ServiceName } from '../../local/topology.js';
import type { Drill } from '../drill.js';

/** One of two processes of each service is killed; the mesh starts it again by itself. */
export const processKills: Drill[] = SERVICE_NAMES.map(processKill);

function processKill(service: ServiceName): Drill {
  return {
    name: `process-kill-${service}`,
    about: `one of two ${service} processes is killed`,
    recovery: 'whoever watches over processes starts another one',
    scale: { [service]: 2 },
    fault: ({ kill }) => kill(service, 0),
  };
}
