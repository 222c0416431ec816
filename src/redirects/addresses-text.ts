import { parseJson } from '../shared/json-value.ts';
import { type Addresses, decodeLine, encodeLines, joinAddresses } from './history.ts';

// The text of addresses is JSON with one article a line, in the mirror and on the published site. It is read line by
// line, so a merge by Git costs only the lines that it has spoilt. The line of each article ends in a comma, so that an
// article that is added changes no other line.

const format = 'astro-articles addresses 1';
export const firstLine = `{"format":"${format}","articles":[`;
export const lastLine = 'null]}';
/** Matches the last line, and the markers of a conflict. */
const otherLine = /^(?:$|null|<{7}|={7}|>{7}|\|{7})/;

/** Encodes addresses. Equal addresses give equal texts. */
export function encodeAddresses(addresses: Addresses): string {
  const lines = encodeLines(addresses).map((line) => `${line},\n`);
  return `${firstLine}\n${lines.join('')}${lastLine}\n`;
}

/** Decodes addresses, and counts the lines that are spoilt; undefined for JSON of another program. */
export function decodeAddresses(
  text: string,
): { addresses: Addresses; spoilt: number } | undefined {
  const whole = parseJson(text);
  const file = Object(whole);
  if (whole !== undefined && (file.format !== format || !Array.isArray(file.articles))) return;
  // The site's formatter may have changed the lines.
  const lines: string[] = file.articles?.map((line: unknown) => JSON.stringify(line));
  const articles = (lines ?? text.split(/\r?\n/))
    .filter((line) => line !== firstLine && !otherLine.test(line))
    .map(decodeLine);
  const intact = articles.filter((article) => article !== undefined);
  // A conflict has the lines of both branches, which are joined.
  return { addresses: joinAddresses(intact), spoilt: articles.length - intact.length };
}
