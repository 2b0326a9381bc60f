import type { ChannelCredentials } from '@grpc/grpc-js';

/** Where a peer is: its addresses (see Addresses), alone where it is called without TLS. */
export type Target = string | SecureTarget;

/** Addresses, how whoever answers there is made sure of, and how this side shows who it is. */
export interface SecureTarget {
  readonly addresses: string;
  readonly credentials: ChannelCredentials;
  /** What the peer is called in place of its host. */
  readonly serverName?: string;
}

export function addressesOf(target: Target): string {
  return typeof target === 'string' ? target : target.addresses;
}

/** The same peer at one of its addresses. */
export function at(target: Target, address: string): Target {
  return typeof target === 'string' ? address : { ...target, addresses: address };
}
