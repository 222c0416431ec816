import { expect, test } from 'vitest';
import type { StoredArticle } from '../../../src/mirror/formats.ts';
import type { ResolvedOptions } from '../../../src/options/options.ts';
import { adviceOnService } from '../../../src/report/service-advice.ts';
import type { SeenService } from '../../../src/report/service-facts.ts';

const options = { order: 'newest-first', rows: 'whole', bodies: 'store' } as ResolvedOptions;
const seen: SeenService = {
  options,
  rows: [],
  articles: new Map(),
  fields: new Map(),
  taken: new Set(),
  hasOtherEntries: false,
  readArticle: () => undefined,
};

test('a schema has at most 50 fields, and none with a very long name', () => {
  const names = [...Array.from({ length: 60 }, (_, at) => `field${at}`), 'x'.repeat(200)];
  const fields = new Map([['1', Object.fromEntries(names.map((name) => [name, 1]))]]);
  const advice = adviceOnService({ ...seen, fields });
  expect(advice.match(/z\.number\(\)/g)).toHaveLength(50);
  expect(advice).toContain('// … and 10 more\n');
});

const article = { title: 't', record: 'r', hasContent: true, renderings: [] };

test.each([
  ["`rows: 'whole'`", 'each row is the whole article', true],
  ['`rows.changedBy`', 'no article proves its row', undefined],
] as const)('only %s is advised if %s', (option, _, rowIsWhole) => {
  const advice = adviceOnService({
    ...seen,
    options: { ...options, rows: { changedBy: 'updated_at' } },
    rows: [{ id: '1', extra: { updated_at: '2024-05-01' } }],
    articles: new Map([['1', { ...article, id: '1', cover: null, rowIsWhole }]]),
    readArticle: () => ({ extra: {} }) as StoredArticle,
  });
  expect(advice.match(/^- .*$/gm)).toEqual([expect.stringContaining(`- ${option}: `)]);
});

test('a field that repeats the cover of each article is not advised', () => {
  const articles = new Map([
    ['1', { ...article, id: '1', cover: '/media/1.jpg' }],
    ['2', { ...article, id: '2', cover: '/media/2.jpg' }],
    ['3', { ...article, id: '3', cover: null }],
    ['4', { ...article, id: '4', cover: '/media/4.jpg' }],
  ]);
  const fields = new Map([
    ['1', { cover: '/media/1.jpg', photo: '/media/1.jpg' }],
    ['2', { cover: '/media/2.jpg', photo: '/media/other.jpg' }],
    ['3', {}],
    ['4', {}],
  ]);
  const advice = adviceOnService({ ...seen, articles, fields });
  expect(advice).toContain('photo: z.string()');
  expect(advice).not.toContain('cover: z.string()');
});

test('a field that may mark drafts is named with its values and the option that leaves some out', () => {
  const values = ['published', 'draft', 'published'];
  const fields = new Map(values.map((status, id) => [String(id), { status }]));
  expect(adviceOnService({ ...seen, fields })).toContain(
    '- `transform: (article) => (article.status === "published" ? article : undefined)`: the field `status` is ' +
      '"published" in 2, "draft" in 1 of 3 articles, and no article is left out because of it.',
  );
  expect(adviceOnService({ ...seen, fields, taken: new Set(['status']) })).toBe('');
});

test('the fields of a collection with entries of another loader are optional, and no schema is around them', () => {
  const fields = new Map([['1', { author: 'Ada', tags: ['sea'] }]]);
  expect(adviceOnService({ ...seen, fields, hasOtherEntries: true }).split('\n')).toEqual([
    'Further fields, which pages can use (`z` is of astro/zod). Add them to the schema of the collection. The entries of the other loader do not have them:',
    '      author: z.string().optional(), // in 1 of 1 articles',
    '      tags: z.array(z.string()).default([]), // in 1 of 1 articles',
  ]);
});
