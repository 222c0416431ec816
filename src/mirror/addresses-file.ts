import {
  type Addresses,
  decodeAddresses,
  encodeAddresses,
  joinAddresses,
} from '../redirects/history.ts';
import { foreignFile, readFile, setAside, writeFile } from './files.ts';

/** Reads addresses. `notice`: what could not be read. */
export function readAddresses(path: string): { addresses: Addresses; notice?: string } {
  const decoded = decodeAddresses(readFile(path) ?? '');
  if (!decoded) throw foreignFile(path);
  const { addresses, spoilt } = decoded;
  const notice = `${path} has lines that are not valid (${spoilt}). The former URLs in them are lost.`;
  return { addresses, ...(spoilt > 0 && { notice }) };
}

/** Adds addresses to those on disk, and removes those of ids. Returns all of them. */
export function writeAddresses(path: string, added: Addresses, gone: Iterable<string>): Addresses {
  const { addresses: onDisk, notice } = readAddresses(path);
  if (notice && onDisk.size === 0) setAside(path);
  const addresses = new Map(joinAddresses(onDisk, added));
  for (const id of gone) addresses.delete(id);
  writeFile(path, encodeAddresses(addresses), { flush: true });
  return addresses;
}
