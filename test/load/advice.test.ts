import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'astro/zod';
import { expect, test } from 'vitest';
import { type FixtureArticle, makeArticles } from '../../fixtures/articles.ts';
import type { Fault, ServiceOptions } from '../../fixtures/service.ts';
import { articleSchema } from '../../src/content/schema.ts';
import type { ArticlesOptions } from '../../src/options/options.ts';
import type { CollectionSchema } from '../helpers/loader-context.ts';
import { type Load, useSite } from '../helpers/use-site.ts';

// What a load says of a service: the options and fields that suit it.

const count = 6;
const site = useSite({ articles: () => makeArticles(count, { words: [5, 20] }) });

interface Service extends ServiceOptions {
  /** The fault of all pages of the listing. */
  listing?: Fault;
  /** The fault of all responses with a single article. */
  single?: Fault;
}

function prepare({ articles, listing, single, ...service }: Service): void {
  if (articles) site.service.replace([...articles]);
  Object.assign(site.service.options, service);
  if (listing) site.strike('list', listing);
  if (single) site.strike('article', single);
}

interface Advice {
  options: ArticlesOptions;
  schema?: CollectionSchema;
}

/** Loads into an empty mirror, as a build without a cache does. */
async function loadFirst({ options, schema }: Advice = { options: {} }): Promise<Load> {
  await rm(join(site.root, 'cache'), { recursive: true, force: true });
  const load = await site.load(options, { schema });
  expect(load.failure).toBeUndefined();
  return load;
}

/** Returns what a load prints, without the progress of a slow one. */
function printedBy({ context }: Load): string[] {
  const messages = context.lines.flatMap(({ level, message }) =>
    level === 'debug' ? [] : message,
  );
  return messages.filter((message) => !/ (?:listed|fetched \(\d+ %\))$/.test(message));
}

const summary = expect.stringMatching(/^6 articles shown: .*$/);

/** Does what a load says, as its reader would: copies the code. */
function follow(load: Load): Advice {
  const text = printedBy(load).join('\n');
  const options = text.matchAll(/[Ss]et `(\w+: (?:'[\w-]+'|\{ \w+: '\w+' \}))`/g);
  const code = Array.from(options, ([, option]) => option).join(', ');
  const schema = /^ {2}schema: .*\n(?: {4}.*\n?)+/m.exec(text)?.[0] ?? '';
  const read = new Function('z', 'articleSchema', `return { options: { ${code} }, ${schema} };`);
  return read(z, articleSchema) as Advice;
}

const articlesWith = (fields: (index: number) => object): FixtureArticle[] =>
  makeArticles(count, { words: [5, 20] }).map((article, index) => ({
    ...article,
    ...fields(index),
  }));
const rewrite = (change: (data: unknown) => unknown): Fault => ({
  kind: 'rewrite',
  rewrite: change,
});
const titlesOnly = rewrite((page) => {
  const rows: FixtureArticle[] = Object(page).results;
  const results = rows.map(({ id, title, updated_at }) => ({ id, title, updated_at }));
  return { ...Object(page), results };
});
/** Days, the newest first. */
const day = (index: number) => `2024-05-${20 - index}`;
const ids = ['b', 'f', 'a', 'd', 'e', 'c'];
const summaries = { rows: 'summary' } as const;

/** A service by its form, what its first load prints, and the options that it names. */
test.each<[string, Service, RegExp[], ArticlesOptions]>([
  ['whole rows', {}, [/Each row is the whole article.* 6 in a first load/], { rows: 'whole' }],
  [
    'the oldest article first, by dates that its rows lack',
    {
      order: 'oldest-first',
      articles: articlesWith((at) => ({ id: ids[at], updated_at: day(0), date: day(at) })),
      listing: titlesOnly,
    },
    [
      /- The listing is oldest first, by `date`/,
      /Rows are not whole articles, so each load requests 6 of 6/,
    ],
    { order: 'oldest-first', rows: { changedBy: 'updated_at' } },
  ],
  [
    'summaries with a field that shows changes',
    { ...summaries, articles: articlesWith((at) => ({ api_version: 2, updated_at: day(at) })) },
    [/Rows are not whole articles.* 6 of 6 articles\. If `updated_at` changes with every edit/],
    { rows: { changedBy: 'updated_at' } },
  ],
  [
    'a field that may mark drafts',
    { articles: articlesWith((at) => ({ id: ids[at], status: at < 2 ? 'draft' : 'published' })) },
    [
      /^- The field `status` is "published" in 4, "draft" in 2 of 6 articles, and no article is left out/m,
      /^ {6}status: z\.string\(\), \/\/ in 6 of 6 articles$/m,
    ],
    { rows: 'whole' },
  ],
  [
    'further fields',
    {
      articles: articlesWith((at) => ({
        ...(at > 0 && { author: 'Ada' }),
        ...(at > 1 && { tags: ['sea'] }),
        date: day(at),
        'reading-time': at === 0 ? 'long' : 3,
        section: { id: at, name: 'Coast' },
        slug: `article-${at}`,
        description: 'Text.',
        words: 1,
      })),
    },
    [
      /extend\(\{\n {6}author: z\.string\(\)\.nullish\(\), \/\/ in 5 of 6 articles$/m,
      /^ {6}date: z\.coerce\.date\(\), \/\/ in 6 of 6 articles$/m,
      /^ {6}"reading-time": z\.unknown\(\), \/\/ in 6 of 6 articles$/m,
      /^ {6}section: z\.object\(\{ id: z\.number\(\), name: z\.string\(\) \}\), \/\/ in 6 of 6 articles$/m,
      /^ {6}tags: .*\.default\(\[\]\), \/\/ in 4 of 6 articles\n {4}\}\),$/m,
    ],
    { rows: 'whole' },
  ],
])(
  'a first load with %s prints the options that suit, and one line once they are set',
  async (_, service, texts, options) => {
    prepare(service);
    const first = await loadFirst();
    for (const text of texts) expect(first.log).toMatch(text);
    const advice = follow(first);
    expect(advice.options).toEqual(options);
    expect(printedBy(await loadFirst(advice))).toEqual([summary]);
  },
);

test('fields of the package, and those that the schema takes, are not listed', async () => {
  const fields = { slug: 'x', words: 1, description: 'y', author: 'Ada', tags: [] };
  prepare({ articles: articlesWith(() => fields) });
  const schema: CollectionSchema = (context) =>
    articleSchema(context).extend({ author: z.string() });
  const { log } = await loadFirst({ options: { rows: 'whole' }, schema });
  expect(log.match(/^ {6}\S+/gm)).toEqual(['      tags:']);
});

test("refuses summaries with `rows: 'whole'`, whose articles have no text", async () => {
  prepare({ ...summaries, articles: articlesWith(() => ({ api_version: 2 })) });
  await rm(join(site.root, 'cache'), { recursive: true, force: true });
  const { failure } = await site.load({ rows: 'whole' });
  expect(failure).toMatchObject({ code: 'mass-removal' });
  expect(failure?.message).toContain('6 of them left out as drafts');
});

test('a later load prints one line, and with ARTICLES_DEBUG the same advice', async () => {
  prepare({ order: 'oldest-first', articles: articlesWith(() => ({ author: 'Ada' })) });
  const [, ...advice] = printedBy(await loadFirst());
  expect(advice).toHaveLength(1);
  expect(printedBy(await site.load())).toEqual([summary]);
  const verbose = await site.load({}, { env: { ARTICLES_DEBUG: '1' } });
  expect(printedBy(verbose)).toEqual([summary, ...advice]);
  expect(verbose.warnings).toEqual([]);
});

test('all HTML that was dropped is named with ARTICLES_DEBUG, also of articles that have not changed', async () => {
  const tags = (at: number) => Array.from({ length: 9 }, (_, number) => `<x${at}y${number}>`);
  prepare({ articles: articlesWith((at) => ({ content: `Text ${tags(at).join('')}` })) });
  const warningOf = (load: Load) => load.warnings.join('\n');
  const first = warningOf(await loadFirst());
  expect(first).toContain('; 34 more, which a load with ARTICLES_DEBUG=1 names.');
  const verbose = warningOf(await site.load({}, { env: { ARTICLES_DEBUG: '1' } }));
  expect(verbose.match(/<x\dy\d> in article "\d"/g)).toHaveLength(54);
});

test('names and values of fields cannot end the printed code, and contain no control characters', async () => {
  const names = ['a: z.never() }), b: (', '*/ // `', '\u001b[31m', '\u202e', "it's", 'x\n::y::'];
  const fields = Object.fromEntries(names.map((name) => [name, 'text']));
  const values = ['" ? 0 : process.exit(1) }), //', '\u202e\u001b[31m'];
  prepare({ articles: articlesWith((at) => ({ ...fields, status: values[at % 2] })) });
  const first = await loadFirst();
  expect(first.log.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  const followed = await loadFirst(follow(first));
  expect(printedBy(followed)).toEqual([summary]);
  const [article] = followed.entries.values();
  expect(article?.data).toMatchObject(fields);
});

test('no load speaks of the order of a listing whose dates contradict its ids', async () => {
  prepare({ articles: articlesWith((at) => ({ id: at, date: day(at) })) });
  const { log, warnings } = await loadFirst();
  expect(warnings).toEqual([]);
  expect(log).not.toContain('first, by');
});

test('a service without single articles is advised to use its rows', async () => {
  prepare({ single: { kind: 'status', status: 404 } });
  const failure = await site.loadFails();
  expect(failure.message).toContain("Its row is a whole article, which `rows: 'whole'` uses");
  expect(printedBy(await loadFirst({ options: { rows: 'whole' } }))).toEqual([summary]);
});
