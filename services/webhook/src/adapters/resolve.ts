import { lookup, Resolver } from 'node:dns/promises';
import type { Resolve } from './http-sender.js';

const dnsOptions = { timeout: 2_000, tries: 2 };

/**
 * How names become addresses. Public names are asked of DNS, which waits in no queue: a server that is slow for one name
 * holds up no other. Where private addresses are allowed the machine's own way is taken, which knows its hosts file.
 */
export function resolveBy({ allowPrivate }: { allowPrivate: boolean }): Resolve {
  return allowPrivate ? (host) => lookup(host, { all: true }) : askDns(new Resolver(dnsOptions));
}

function askDns(resolver: Resolver): Resolve {
  return async (host) => {
    const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const found = [
      ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
      ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
    ];
    if (found.length === 0 && four.status === 'rejected') throw four.reason;
    return found;
  };
}
