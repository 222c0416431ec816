import { type LookupOptions, lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/**
 * The addresses that are nobody's on the internet: private, loopback, link-local, shared, reserved,
 * documentation, multicast (RFC 6890 and its successors in the IANA special-purpose registries).
 */
export const specialAddresses = createSpecialAddresses();
const openIpv6 = new BlockList();
openIpv6.addSubnet('2000::', 3, 'ipv6');
openIpv6.addSubnet('::ffff:0:0', 96, 'ipv6');

/** Whether a URL's host is written as a special address, in any spelling that URL understands. */
export function isSpecialLiteral(hostname: string): boolean {
  return isSpecial(hostname.replace(/^\[|\]$/g, ''));
}

export function isSpecial(address: string): boolean {
  const family = isIP(address);
  if (family === 6) return specialAddresses.check(address, 'ipv6') || !isOpenIpv6(address);
  return family === 4 && specialAddresses.check(address, 'ipv4');
}

/** Of IPv6 only 2000::/3 is in use, besides the addresses that stand for an IPv4 one. */
function isOpenIpv6(address: string): boolean {
  return openIpv6.check(address, 'ipv6');
}

/** Resolves a name to its public addresses only, and fails when it has none. */
export const lookupPublic: LookupFunction = (hostname, options, callback) => {
  const all: LookupOptions & { all: true } = { ...options, all: true };
  lookup(hostname, all, (error, addresses) => {
    if (error) return callback(error, '', 0);
    const open = addresses.filter(({ address }) => !isSpecial(address));
    const [first] = open;
    if (!first) return callback(blocked(), '', 0);
    if (options.all) return callback(null, open);
    callback(null, first.address, first.family);
  });
};

/** The same, with host names that may have any address. */
export function lookupPublicExcept(trusted: ReadonlySet<string>): LookupFunction {
  return (hostname, options, callback) => {
    if (trusted.has(hostname)) lookup(hostname, options, callback);
    else lookupPublic(hostname, options, callback);
  };
}

function blocked(): NodeJS.ErrnoException {
  return Object.assign(new Error('the address is not public'), { code: 'ERR_IP_BLOCKED' });
}

function createSpecialAddresses(): BlockList {
  const list = new BlockList();
  const ipv4 = [
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
    '224.0.0.0/3',
  ];
  // Of IPv6 only 2000::/3 is public; within it, the prefixes that wrap an IPv4 address or go nowhere.
  // ::ffff:0:0/96 must stay out: a BlockList would take every IPv4 address for a part of it.
  const ipv6 = [
    '::/96',
    '64:ff9b::/32',
    '100::/8',
    '200::/7',
    '400::/6',
    '800::/5',
    '1000::/4',
    '4000::/2',
    '8000::/1',
    '2001::/23',
    '2001:db8::/32',
    '2002::/16',
    '3fff::/20',
  ];
  for (const subnet of ipv4) addSubnet(list, subnet, 'ipv4');
  for (const subnet of ipv6) addSubnet(list, subnet, 'ipv6');
  return list;
}

function addSubnet(list: BlockList, subnet: string, family: 'ipv4' | 'ipv6') {
  const [network = '', prefix] = subnet.split('/');
  list.addSubnet(network, Number(prefix), family);
}
