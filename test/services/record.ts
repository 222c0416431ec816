import { readFile, writeFile } from 'node:fs/promises';
import { collectionPath } from '../../src/client/urls.ts';
import { keyHeader } from '../../src/http/api-key.ts';
import type { Fetch } from '../../src/http/send.ts';
import type { Article } from './articles.ts';
import type { Server } from './server.ts';

/** A request that a file of the template sends, and the response of its server. */
export interface Exchange {
  /** The path and the query. */
  path: string;
  /** The headers that the file adds. */
  sent: Record<string, string>;
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

/** What a server responds to the requests of its file of the template. */
export interface Recording {
  /** Its name and version. */
  server: string;
  exchanges: {
    list: Exchange;
    behindTheEnd: Exchange;
    article: Exchange;
    articleWithCover: Exchange;
    draft: Exchange;
    deleted: Exchange;
    /** Missing if the server needs no key. */
    wrongKey?: Exchange;
  };
}

/** The URL of each server in its responses. */
export const recordedOrigin = 'https://cms.example.com';
/** The response headers that these files, or loads, use. */
const usedHeaders = ['content-type', 'x-wp-total'];

/** An article. The mocks write the number of a post in place of each `0`. */
const sample = (day: number, cover: Article['cover']): Article => ({
  name: `sample-${day}`,
  slug: `title-0-${day}`,
  title: 'Title 0 & <em>more</em>',
  text: 'Text 0.',
  description: null,
  tags: ['Q & A'],
  date: `2025-01-0${day}T08:00:00.000Z`,
  cover,
  isDraft: false,
  next: 'title-1',
});

/** Writes articles to a server, sends the requests of its file of the template, and removes the articles. */
export async function record(name: string, server: Server, url: string): Promise<Recording> {
  const module = `../../templates/blog/services/${name.toLowerCase()}.ts`;
  const { service }: { service: { fetch: Fetch } } = await import(module);
  const send = (path: string, key = server.key) =>
    service.fetch(`${url}/${collectionPath}${path}`, { headers: { [keyHeader]: key } });
  const request = (path: string, key?: string) => lastExchange(() => send(path, key));
  const requestArticle = async (id: string) => {
    const exchange = await request(`${id}/`);
    return { ...exchange, path: exchange.path.replace(id, 'ID') };
  };
  const list = '?offset=0&limit=500';

  const [plain, covered, newest] = [
    sample(1, null),
    sample(2, 'tides.jpg'),
    sample(3, 'tides.jpg'),
  ];
  const samples = [plain, covered, newest];
  for (const article of samples) await server.save(article);
  const { results }: { results: { id: number | string }[] } = await (await send(list)).json();
  const ids = results.map(({ id }) => String(id));
  const [newestId = '', coveredId = '', plainId = ''] = ids;
  await server.save({ ...newest, isDraft: true });
  const published = {
    list: await request(list),
    behindTheEnd: await request('?offset=500&limit=500'),
    article: await requestArticle(plainId),
    articleWithCover: await requestArticle(coveredId),
    draft: await requestArticle(newestId),
  };
  for (const article of samples) await server.remove(article);
  const deleted = await requestArticle(newestId);
  const wrongKey = await request(list, 'another-key-0123456789');
  const exchanges = { ...published, deleted, ...(wrongKey.status !== 200 && { wrongKey }) };

  const text = JSON.stringify({ server: `${name} ${server.version}`, exchanges });
  const anonymous = text.replaceAll(url, recordedOrigin).replaceAll(server.key, 'KEY');
  return JSON.parse(withoutChance(anonymous));
}

/** Calls a translation, and returns the last request that it sends. */
async function lastExchange(call: () => Promise<Response>): Promise<Exchange> {
  const { fetch } = globalThis;
  let exchange: Exchange | undefined;
  globalThis.fetch = async (href, init) => {
    const response = await fetch(href, init);
    const { pathname, search } = new URL(String(href));
    const headers = [...response.headers].filter(([name]) => usedHeaders.includes(name));
    exchange = {
      path: pathname + decodeURIComponent(search),
      sent: Object.fromEntries(new Headers(init?.headers)),
      status: response.status,
      headers: Object.fromEntries(headers),
      body: await response.clone().json(),
    };
    return response;
  };
  try {
    await call();
  } catch (error) {
    // An unsuccessful response ends the function, too.
    if (!exchange) throw error;
  } finally {
    globalThis.fetch = fetch;
  }
  if (!exchange) throw new Error('The file of the template sent no request.');
  return exchange;
}

/** Matches each time and day but those of the articles. */
const times = /\b(?!2025-01-0)20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d/g;
/** Matches ids, and hashes in the names of files. */
const random = /\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b|\b[\da-z]{24}\b|(?<=_)[\da-f]{10}\b/g;

/** Replaces what differs each time: times, the months of uploads, and ids, which get numbers. */
function withoutChance(text: string): string {
  const ids = new Map<string, string>();
  const numberId = (id: string) => {
    const number = String(ids.size + 1);
    const zeros = id.replace(/\w/g, '0');
    const numbered = ids.get(id) ?? zeros.slice(0, -number.length) + number;
    ids.set(id, numbered);
    return numbered;
  };
  return text
    .replace(times, '2026-01-01T00:00:00')
    .replace(/(?<=T00:00:00)\.\d+/g, '.000')
    .replace(/\b20\d\d\/\d\d(?=\/)/g, '2026/01')
    .replace(random, numberId);
}

function fileOf(name: string): URL {
  return new URL(`../../fixtures/recordings/${name.toLowerCase()}.json`, import.meta.url);
}

export async function writeRecording(name: string, recording: Recording): Promise<void> {
  await writeFile(fileOf(name), `${JSON.stringify(recording, null, 2)}\n`);
}

/**
 * Compares responses with those of the file: requests, statuses, headers, the names of fields and the types of values.
 *
 * @returns sentences about what is missing now, and about what is new
 */
export async function compareWithRecording(
  name: string,
  recording: Recording,
): Promise<{ missing: string[]; added: string[] }> {
  const recorded: Recording = JSON.parse(await readFile(fileOf(name), 'utf8'));
  const before = shapeOf(recorded);
  const after = shapeOf(recording);
  const without = (lines: Set<string>, others: Set<string>) =>
    [...lines].filter((line) => !others.has(line));
  return {
    missing: without(before, after).map(
      (line) => `the response lacks ${line}, which ${recorded.server} sent when it was recorded`,
    ),
    added: without(after, before).map(
      (line) => `the response has ${line}, which the recording of ${recorded.server} lacks`,
    ),
  };
}

/** Returns a line for each request, and for each field of its response. */
function shapeOf({ exchanges }: Recording): Set<string> {
  const lines = Object.entries(exchanges).flatMap(([name, { body, ...exchange }]) => [
    `${name} ${JSON.stringify(exchange)}`,
    ...typesOf(body, name),
  ]);
  return new Set(lines);
}

/** Returns a line for each field of a value, with its path and type. All elements of an array have the same path. */
function typesOf(value: unknown, path: string): string[] {
  if (Array.isArray(value)) {
    return [`${path}: array`, ...value.flatMap((element) => typesOf(element, `${path}[]`))];
  }
  if (value === null || typeof value !== 'object') {
    return [`${path}: ${value === null ? 'null' : typeof value}`];
  }
  const fields = Object.entries(value);
  return [
    `${path}: object`,
    ...fields.flatMap(([name, field]) => typesOf(field, `${path}.${name}`)),
  ];
}
