import { type Addresses, decodeLine, encodeLines, joinAddresses } from '../redirects/history.ts';
import { foreignFile, readFile, setAside, writeFile } from './files.ts';
import { parseJson } from './stored-article.ts';

// The file is JSON with one article a line. It is read line by line, so a merge by Git costs only the lines that it has
// spoilt. The line of each article ends in a comma, so that an article that is added changes no other line.

const format = 'astro-articles addresses 1';
const head = `{"format":"${format}","articles":[`;
/** Matches the last line, and the markers of a conflict. */
const otherLine = /^(?:$|null|<{7}|={7}|>{7}|\|{7})/;

/** Reads addresses. `notice`: what could not be read. */
export function readAddresses(path: string): { addresses: Addresses; notice?: string } {
  const addresses = new Map<string, ReadonlyMap<string, number>>();
  let spoilt = 0;
  for (const line of linesOf(path)) {
    const [id, slugs] = decodeLine(line) ?? [];
    if (id !== undefined && slugs) {
      // A conflict has the lines of both branches.
      const parts = [addresses.get(id) ?? new Map(), slugs].map((part) => new Map([[id, part]]));
      addresses.set(id, joinAddresses(...parts).get(id) ?? slugs);
    } else if (line !== head && !otherLine.test(line)) {
      spoilt += 1;
    }
  }
  const notice = `${path} has lines that are not valid (${spoilt}). The former URLs in them are lost.`;
  return { addresses, ...(spoilt > 0 && { notice }) };
}

function linesOf(path: string): string[] {
  const text = readFile(path) ?? '';
  const whole = parseJson(text);
  if (whole === undefined) return text.split(/\r?\n/).map((line) => line.replace(/,\s*$/, ''));
  const file = Object(whole);
  if (file.format !== format || !Array.isArray(file.articles)) throw foreignFile(path);
  // The site's formatter may have changed the lines.
  return file.articles.map((article: unknown) => JSON.stringify(article));
}

/** Adds addresses to those on disk, and removes those of ids. Returns all of them. */
export function writeAddresses(path: string, added: Addresses, gone: Iterable<string>): Addresses {
  const { addresses: onDisk, notice } = readAddresses(path);
  if (notice && onDisk.size === 0) setAside(path);
  const addresses = new Map(joinAddresses(onDisk, added));
  for (const id of gone) addresses.delete(id);
  const lines = encodeLines(addresses).map((line) => `${line},\n`);
  writeFile(path, `${head}\n${lines.join('')}null]}\n`, { flush: true });
  return addresses;
}
