import { readMeshFile } from '#libs/mesh/mesh-file.js';
import { UsageError } from './usage-error.js';

/** Where the gateway is thought to be, and who says so, in words. */
export interface GatewayAddress {
  address: string;
  from: string;
}

export interface AddressSources {
  /** The option --gateway. */
  given: string | undefined;
  env: { readonly HOLDFAST_GATEWAY?: string | undefined };
  /** Where a mesh that runs on this machine leaves its mesh.json. */
  meshDirectory: string;
}

const standard = '127.0.0.1:7011';
const hostAndPort = /^(?:[A-Za-z0-9._-]+|\[[0-9a-fA-F:]+\]):\d{1,5}$/;

/** The option, else HOLDFAST_GATEWAY, else the mesh that runs here, else the standard address. */
export function gatewayAddress({ given, env, meshDirectory }: AddressSources): GatewayAddress {
  if (given !== undefined) return checked(given, '--gateway');
  const named = env.HOLDFAST_GATEWAY ?? '';
  if (named !== '') return checked(named, 'HOLDFAST_GATEWAY');
  const running = readMeshFile(meshDirectory)?.gateway;
  if (running !== undefined && running !== '') return { address: running, from: 'the mesh that runs on this machine' };
  return { address: standard, from: 'the standard address' };
}

function checked(address: string, from: string): GatewayAddress {
  if (hostAndPort.test(address)) return { address, from };
  throw new UsageError([`${from} ${JSON.stringify(address)}: give host:port, for example ${standard}`]);
}
