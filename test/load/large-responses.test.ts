import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { clientLimits } from '../../src/client/client.ts';
import { runs } from '../helpers/runs.ts';

// What a load spends on one response with any content, in a process of its own: seconds of processor time, and
// megabytes, those of the process without a response included.
const limits = { seconds: 5, megabytes: 600 };

/** Responses of more values need more memory, which nothing limits. */
const maxValues = 1_000_000;
const program = fileURLToPath(new URL('../helpers/receive-response.ts', import.meta.url));

let body = Buffer.alloc(0);
let sent = 0;
// The first response is the large one. Each further request fails, so that a load does not read it again.
const server = createServer((_, response) => {
  sent += 1;
  response.writeHead(sent === 1 ? 200 : 500, { 'content-type': 'application/json' });
  response.end(sent === 1 ? body : '');
});

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
beforeEach(() => {
  sent = 0;
});
afterAll(() => server.close());

type RequestName = 'listing' | 'translated' | 'article';

async function receive(request: RequestName) {
  sent = 0;
  const { port } = server.address() as AddressInfo;
  const args = [program, `http://127.0.0.1:${port}`, request];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as { seconds: number; megabytes: number; result: string };
}

/** Counts the values of JSON in another way than the package. */
function valuesIn(json: string): number {
  return json.replace(/"(?:[^"\\]|\\.)*"/g, '').match(/[,:[{]/g)?.length ?? 0;
}

/** Fills a response with parts, as far as a response may be large and have values. */
function filled(
  request: RequestName,
  [start, end]: readonly string[],
  part: (n: number) => string,
) {
  const maxBytes = request === 'article' ? clientLimits.articleBytes : clientLimits.pageBytes;
  const parts: string[] = [];
  let bytes = Buffer.byteLength(`${start}${end}`) + 8;
  let values = valuesIn(`${start}${end}`) + 1;
  for (let n = 0; ; n++) {
    const text = part(n);
    bytes += Buffer.byteLength(text) + 1;
    values += valuesIn(text) + 1;
    if (bytes > maxBytes || values > maxValues) break;
    parts.push(text);
  }
  return Buffer.from(`${start}${parts.join(',')}${end}`);
}

const fields = '"id":1,"title":"a","content":"b","cover_image":null';
/** What is around the parts, by the request. */
const places: [RequestName, ...string[]][] = [
  ['listing', '[', ']'],
  ['listing', '{"results":[', ']}'],
  ['listing', '{"count":2,"next":null,"a":{"b":[', ']}}'],
  ['listing', `[{${fields},"x":[`, ']}]'],
  ['listing', `[{${fields},"x":{"y":{"z":[[[[`, ']]]]}}}]'],
  ['translated', '[', ']'],
  ['translated', `{"results":[{${fields},"x":[`, ']}]}'],
  ['article', `{${fields},"x":[`, ']}'],
  ['article', '{"data":[', ']}'],
];
const long = (text: string) => `"${text.repeat(20_000 / text.length)}"`;
const values: ((n: number) => string)[] = [
  ...['1', '""', '{}', '[]', 'null', '[[]]', '[{}]', '{"a":1}', '{"id":1}'].map(
    (part) => () => part,
  ),
  ...['1e308', '-0.12345678901234567', '123456789012345678901'].map((part) => () => part),
  ...['"漢"', '"\\u00e9"', '"\\ud83d"', '"2026-05-01T10:15"'].map((part) => () => part),
  ...['漢', '\\u00e9', '\\\\', '\\"', 'a', '["{', '&<'].map((text) => () => long(text)),
  () => long('a').replace('a', '漢'),
  (n) => `{"id":${n}}`,
  (n) => `{"id":"${n}"}`,
  (n) => `{"id":${n}12345678901234567}`,
  (n) => `{"k${n}":${n}}`,
  (n) => `{"id":${n},"k${n}":[{}]}`,
  (n) => `{"id":"${n}","title":"t","content":"c","cover_image":null}`,
  (n) =>
    `{"id":"${n}","title":${long('"').replaceAll('""', '\\"')},"content":"c","cover_image":null}`,
  () => '['.repeat(60) + ']'.repeat(60),
  () => `${'{"a":'.repeat(60)}1${'}'.repeat(60)}`,
  () => '['.repeat(500) + ']'.repeat(500),
  (n) => `{"id":${n},"x":${JSON.stringify(Array.from({ length: 1_000 }, (_, at) => at))}}`,
  (n) => `{"id":${n},${Array.from({ length: 500 }, (_, at) => `"k${n}-${at}":1`).join(',')}}`,
];

const inPlace = fc.tuple(fc.constantFrom(...places), fc.constantFrom(...values));

it('any response costs at most five seconds of processor time and 600 MB', async () => {
  await fc.assert(
    fc.asyncProperty(inPlace, async ([[request, ...around], part]) => {
      body = filled(request, around, part);
      const { seconds, megabytes, result } = await receive(request);
      const shown = `${body.subarray(0, 100)} (${body.length} bytes): ${result}`;
      expect(seconds, shown).toBeLessThan(limits.seconds);
      expect(megabytes, shown).toBeLessThan(limits.megabytes);
    }),
    { ...runs(1), endOnFailure: true },
  );
});

const million = 1_000_000;

type LargeResponse = [what: string, RequestName, () => string, result: RegExp];

const ofManyValues: LargeResponse[] = [
  ['more values', 'listing', () => `[${'1,'.repeat(million)}1]`, /without a usable id/],
  [
    'values of an article',
    'article',
    () => `[${'[],'.repeat(600_000)}1]`,
    /a list instead of an article/,
  ],
  [
    'a million of levels',
    'listing',
    () => '['.repeat(million - 1) + ']'.repeat(million - 1),
    /responded 500/,
  ],
  [
    'levels around an id that needs a bigint',
    'listing',
    () => `[{"id":12345678901234567890,"x":${'['.repeat(900_000)}${']'.repeat(900_000)}}]`,
    /nested too deeply/,
  ],
  [
    'half a million keys',
    'listing',
    () => `{${Array.from({ length: million / 2 - 9 }, (_, at) => `"k${at}":1`)}}`,
    /recognisable list/,
  ],
];

it.each(ofManyValues)('%s: within these limits', async (_, request, make, result) => {
  body = Buffer.from(make());
  const received = await receive(request);
  expect(received.result).toMatch(result);
  expect(received.seconds, received.result).toBeLessThan(limits.seconds);
  expect(received.megabytes, received.result).toBeLessThan(limits.megabytes);
});
