import type { Target } from '#libs/rpc/target.js';
import { type Tls, tlsBy } from '#libs/rpc/tls.js';
import { TlsFiles } from '#libs/rpc/tls-files.js';
import { createLogger } from '#libs/runtime/logger.js';
import type { MeshFile } from './mesh-file.js';

const opened = new Map<string, Tls>();

/** The inventories of a mesh for tools that put skus on sale; with the certificate of tools where they ask for one. */
export function inventoryOf({ services, toolsTls }: Pick<MeshFile, 'services' | 'toolsTls'>): Target {
  const addresses = (services.inventory ?? []).map(({ grpc }) => grpc).join(',');
  return toolsTls === undefined ? addresses : tlsOf(toolsTls).to('inventory', addresses);
}

/** Read once for each folder: its files are looked at for as long as the tool runs. */
function tlsOf(directory: string): Tls {
  const known = opened.get(directory);
  if (known !== undefined) return known;
  const tls = tlsBy(new TlsFiles({ directory, logger: createLogger('tools', 'silent') }));
  opened.set(directory, tls);
  return tls;
}
