import { BlockList, isIP } from 'node:net';

/** IPv4 that is not the public internet's: the special-purpose registry of IANA, and multicast. */
const special4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
/** Within 2000::/3, the only part of IPv6 that is given out: tunnels that hide an IPv4, benchmarks, documentation. */
const special6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const never4 = listOf(special4, 'ipv4');
const given6 = listOf(['2000::/3'], 'ipv6');
const never6 = listOf(special6, 'ipv6');

/**
 * Whether an address is one of the public internet. Not loopback, link-local (and so no metadata service), private,
 * carrier-grade NAT, multicast; not an IPv4 within an IPv6 either. Something that is no address is not public.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !never4.check(address, 'ipv4');
  return family === 6 && given6.check(address, 'ipv6') && !never6.check(address, 'ipv6');
}

function listOf(networks: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}
