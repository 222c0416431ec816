import type { SchemaContext } from 'astro/content/config';
import { z } from 'astro/zod';
import { afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest';
import { articleSchema } from '../../src/content/collection.ts';
import { filesBelow } from '../helpers/mirror-folder.ts';
import { allowRemoval, type Load, useSite } from '../helpers/use-site.ts';

// The outputs that contain strings of the service, and what their consumers interpret:
//
// | place                     | consumer                  | interpreted                              |
// | ------------------------- | ------------------------- | ---------------------------------------- |
// | `data`, `rendered.html`   | Astro's image pipeline    | `__ASTRO_IMAGE_`: see astro-images.test  |
// | the store                 | devalue, Map, JSON        | `__proto__`, surrogates, U+2028          |
// | `body`                    | nothing: it is Markdown   | nothing; it arrives verbatim             |
// | `metadata.headings`       | templates                 | nothing; the text arrives verbatim       |
// | slug, id                  | `getStaticPaths`, files   | `/ \ . .. % ? # : * " < > |`, controls   |
// | files of the mirror       | the file system           | the same                                 |
// | terminal line             | terminal                  | C0, C1, ESC, bidirectional controls      |
// | terminal line, annotation | GitHub Actions            | `::` at the start of a line, `##[`, %    |
// | JSON-LD, Open Graph, feed | HTML and XML parsers      | `</script`, `<!--`, others: see test/build/parts.test |
// | dev refresh response      | JSON parser               | see test/build/refresh.test              |

const site = useSite({ options: { failOn: ['service'] }, ...allowRemoval });

const hostile = [
  '</script><script>alert(1)</script>',
  '<!--',
  ']]>',
  '<img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  '{{constructor.constructor("alert(1)")()}}',
  '$' + '{alert(1)}',
  '\u001b[31mred\u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007',
  '\u009b31mC1',
  '\u202eright-to-left\u2066isolated',
  'line one\nline two\r\nline three',
  'x\n::error::owned\n::set-output name=a::b',
  'x\n##[error]owned',
  'x ##[add-mask]e ##[set-output name=a;]b',
  '%0A::error::owned',
  '__proto__',
  'constructor',
  'toString',
  '../../../etc/passwd',
  '..',
  'a/b\\c:d*e?f"g<h>i|j',
  '%2e%2e%2f',
  'CON',
  '\ufeffBOM',
  'nul\u0000byte',
  'U+2028 \u2028 and U+2029 \u2029',
  '| a | b |\n|---|---|',
  '@everyone #1 [a](javascript:alert(1)) `code`',
  '---\ntitle: other\n---',
  '👩‍👩‍👧 é ﷺ',
];

async function loadArticles(articles: object[], more: Parameters<typeof site.load>[1] = {}) {
  site.service.replace(
    articles.map((article, index) => ({
      id: index,
      title: `Title ${index}`,
      content: 'c',
      cover_image: null,
      ...article,
    })),
  );
  const load = await site.load({}, more);
  expect(load.failure).toBeUndefined();
  return load;
}

describe('the store', () => {
  it('has every title and body verbatim, also after Astro has saved and read it', async () => {
    await loadArticles(hostile.map((text) => ({ title: `T ${text}`, content: `${text}\n\nend` })));
    const load = await site.load();
    for (const [index, text] of hostile.entries()) {
      const entry = load.entries.get(String(index));
      expect(entry?.data.title).toBe(`T ${text}`);
      expect(entry?.body).toBe(`${text}\n\nend`);
    }
  });

  it('has every field of the service as data, with any name', async () => {
    const names = [...hostile, 'hasOwnProperty', 'then', '__defineGetter__', 'prototype'];
    const record = Object.fromEntries(names.map((name) => [name, name]));
    const schema = (context: SchemaContext) =>
      articleSchema(context).extend({ record: z.record(z.string(), z.string()) });
    const { entries } = await loadArticles([{ record }], { schema });
    const stored = Object(entries.get('0')?.data.record);
    // Keys that reach a prototype are dropped by the client.
    const dropped = ['__proto__', 'constructor', 'prototype'];
    expect(new Map(Object.entries(stored))).toEqual(
      new Map(names.filter((name) => !dropped.includes(name)).map((name) => [name, name])),
    );
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });
});

describe('a slug', () => {
  const long = [
    '𐐷'.repeat(100),
    '漢'.repeat(150),
    'a'.repeat(500),
    '👩‍👩‍👧‍👦'.repeat(20),
    'é̂̃'.repeat(90),
  ];
  const spellings = ['abc', 'ABC', 'Abc', 'é', 'e\u0301', 'É', 'ß', 'ss', 'ﬁ', 'fi', 'Ⅷ', 'viii'];
  const ids = [...hostile, ...long, ...spellings].filter((id) => !/\p{Cc}|^\.\.?$/u.test(id));

  function expectSafe(slug: unknown): void {
    const text = String(slug);
    expect(text).toMatch(/^[\p{L}\p{M}\p{N}_-]+$/u);
    expect(new URL(`/${text}/`, 'https://site.example').pathname).toBe(
      `/${encodeURIComponent(text)}/`,
    );
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(250);
    expect(text).toBe(text.normalize('NFC'));
  }

  it('of any title and id is usable as the id of an entry, and names no other file', async () => {
    site.service.replace(ids.map((id) => ({ id, title: id, content: 'c', cover_image: null })));
    const { failure, entries, context } = await site.load({ entryId: 'slug' });
    expect(failure).toBeUndefined();
    expect(entries.size).toBe(ids.length);
    for (const [id, { filePath }] of entries) {
      expectSafe(id);
      expect(filePath).toMatch(/^src\/content\/articles\/[\p{L}\p{M}\p{N}_-]+\.md$/u);
    }
    // macOS and Windows ignore case, macOS also how a character is composed.
    const folded = [...entries.keys()].map((slug) => slug.normalize('NFKC').toLowerCase());
    expect(new Set(folded).size).toBe(ids.length);
    for (const name of await filesBelow(context.mirrors)) {
      expect(name).toMatch(/^articles-[0-9a-f]+\/[\w./-]+$/);
      expect(name.split('/')).not.toContain('..');
    }
  });
});

/** Loads a site whose messages all contain hostile strings. */
async function loadWithProblems(): Promise<Load[]> {
  const printable = hostile.filter((text) => text !== '..');
  const ids = printable.map((text, index) => `${index} ${text}`);
  const cover = (text: string) => `https://10.0.0.1/${text}`;
  const loads: Load[] = [];
  // Ids with control characters are problems of their rows, the others of the articles.
  site.service.replace([
    ...ids.map((id) => ({ id, title: 7, content: 'c', cover_image: null })),
    ...printable.map((text, index) => ({
      id: index,
      title: 't',
      content: `<script>${text}</script>`,
      cover_image: { [text]: text },
    })),
  ]);
  loads.push(await site.load());
  site.service.replace(
    printable.map((text, index) => ({
      id: index,
      title: 't',
      content: `c ${text}`,
      cover_image: cover(text),
    })),
  );
  loads.push(await site.load({ timeout: 4_000, retries: 0 }));
  for (const detail of hostile) {
    const body = JSON.stringify({ detail });
    site.strike('list', { kind: 'status', status: 400, body }, 1);
    loads.push(await site.load({ failOn: [] }));
    site.strike('list', { kind: 'redirect', location: `https://${encodeURI(detail)}/` }, 1);
    loads.push(await site.load({ failOn: [] }));
    site.strike('list', { kind: 'json', value: { [detail]: detail } }, 1);
    loads.push(await site.load({ failOn: [] }));
  }
  return loads;
}

/** Control characters that a terminal interprets, or that change the order of the text. */
const interpreted = /[^\P{Cc}\n\t]|[\u2028\u2029]|\p{Bidi_Control}/u;

describe('what is printed', () => {
  let stdout: string[];

  beforeEach(() => {
    stdout = [];
    vi.stubEnv('GITHUB_ACTIONS', 'true');
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      stdout.push(String(text));
      return true;
    });
  });
  afterEach(() => vi.unstubAllEnvs());

  test('in the terminal and in annotations is text', async () => {
    const loads = await loadWithProblems();
    const lines = loads.flatMap(({ context }) => context.lines.map(({ message }) => message));
    const messages = loads.flatMap(({ failure }) => [failure?.message ?? '', failure?.hint ?? '']);
    expect(lines.length).toBeGreaterThan(hostile.length);
    const texts = [...lines, ...messages];
    expect.soft(texts.filter((text) => interpreted.test(text))).toEqual([]);
    expect.soft(texts.filter((text) => /^\s*::|##\[/m.test(text))).toEqual([]);
    expect.soft(lines.filter((line) => line.includes('\n'))).toEqual([]);

    // One command of the package for each line.
    const commands = stdout.join('').split('\n').filter(Boolean);
    expect(commands.length).toBeGreaterThan(2);
    const command = /^::(error|warning) title=Collection "articles"%3A [\w ()]+::/;
    expect.soft(commands.filter((line) => !command.test(line))).toEqual([]);
    expect.soft(commands.filter((line) => interpreted.test(line))).toEqual([]);
    expect.soft(commands.filter((line) => line.includes('##['))).toEqual([]);
  });
});
