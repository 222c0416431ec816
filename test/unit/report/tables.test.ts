import { expect, test } from 'vitest';
import type { Version } from '../../../src/load/article-version.ts';
import type { Facts } from '../../../src/report/facts.ts';
import { judgedTable } from '../../../src/report/judged-table.ts';
import { sayFacts, sayFinding } from '../../../src/report/say.ts';
import { seenTable } from '../../../src/report/seen-table.ts';
import type { FindingData, SeenFinding } from '../../../src/shared/finding.ts';
import { factsOfService, factsWith } from '../../helpers/facts.ts';
import { read } from '../../helpers/readme.ts';
import { element, frame, versionWith } from '../../helpers/rendered-version.ts';

// What each row of the table has to name: the articles, the field, the file, the line to write. The wording is free.

const cover = { isCover: true, host: 'a.example' };
const image = { isCover: false, host: 'a.example' };
const url = 'https://a.example/tides.jpg';

/** By code: a finding, and what its words name. */
const seen: { [C in keyof FindingData]: [Omit<SeenFinding<C>, 'code'>, string[]] } = {
  'cover-unreadable': [
    { ids: ['7'], data: { got: 'an object (fields: file)' } },
    ['"7"', '`cover_image`', 'an object (fields: file)', '`fetch`'],
  ],
  image: [
    {
      ...{ ids: ['7', '8'], urls: [url, '/b.jpg'] },
      data: { ...image, reason: 'its server responded 404', remedy: 'Correct it.', kept: false },
    },
    ['2 images of "a.example"', url, '/b.jpg', '"7", "8"', 'responded 404', 'Correct it.'],
  ],
  kept: [{ ids: ['7'], data: { why: 'it came from a cache' } }, ['"7"', 'it came from a cache']],
  'listing-unreliable': [
    { ids: ['7'], data: { reason: 'its pages contradict each other', announced: 9, listed: 8 } },
    ['"7"', 'its pages contradict each other', '9 announced', '8 listed', 'translations'],
  ],
  mirror: [{ ids: [], data: { text: 'The index is lost.' } }, ['The index is lost.']],
  'old-sharp': [
    { ids: ['7'], urls: [url], data: { ...cover, sharp: '0.34.5' } },
    [url, '"7"', '0.34.5', '"overrides": { "sharp": "^0.35.5" }', 'package.json', 'pnpm-workspace'],
  ],
  outage: [
    {
      ids: [],
      data: { source: 'articles from Monday', message: 'a', hint: 'b\nc' },
    },
    ['articles from Monday', 'the load from the service failed: a b c'],
  ],
  'slug-taken': [
    { ids: ['7', '8'], data: { wanted: 'tides', slug: 'tides-8' } },
    ['"7"', '"8"', '"tides"', '"tides-8"', 'another slug in the service'],
  ],
  'slug-unusable': [
    { ids: ['7'], data: { wanted: 'Über uns!', slug: 'ueber-uns-7' } },
    ['"7"', '"Über uns!"', '"ueber-uns-7"', 'in the service'],
  ],
};

test.each(Object.entries(seen))('a finding %s names what it is about', (code, [finding, parts]) => {
  const text = sayFinding({ code, ...finding } as SeenFinding);
  for (const part of parts) expect(text).toContain(part);
});

const day = (at: number) => `2024-05-0${9 - at}`;
const ids = ['c', 'a', 'b'];
/** Rows with a day, the newest first. */
const rows = ids.map((id, at) => ({
  id,
  title: 'Tides',
  extra: { date: day(at), 'a "field"': 1 },
}));
const summaries = ids.map((id, at) => ({
  id,
  row: { edited: day(at) },
  extra: { edited: day(at) },
}));

const { article, transformed } = versionWith('7', []);
const rendering = { name: 'k-h', images: [], dropped: [] };
const withFacts = (facts: object): Version => ({
  transformed,
  article: { ...article, renderings: [{ ...rendering, ...facts }] },
});
const docs = 'node_modules/astro-articles/docs';

type Level = 'notice' | 'advice';
/** By code, some facts: at which level they are said, and what the words name. */
const judged: Record<keyof typeof judgedTable, [Facts, Level, string[]][]> = {
  'front-matter': [
    [
      factsWith({ versions: [withFacts({ brokenFrontMatter: 'a tab' })] }),
      'notice',
      ['"7"', 'a tab'],
    ],
    [
      factsWith({ versions: [{ article, leftOut: 'draft', brokenFrontMatter: 'a tab' }] }),
      'notice',
      ['"7"', 'a tab'],
    ],
  ],
  'expiring-urls': [
    [
      factsWith({ versions: [withFacts({ hasExpiringUrls: true })] }),
      'notice',
      ['"7"', "images: { covers: 'local', body: 'local' }"],
    ],
    [
      factsWith({
        options: { images: { covers: 'remote', body: 'remote', maxBytes: 1 } },
        versions: [
          {
            article,
            transformed: { ...transformed, cover: `${url}?X-Amz-Expires=9&X-Amz-Signature=a` },
          },
        ],
      }),
      'notice',
      ['"7"', "covers: 'local'"],
    ],
  ],
  dropped: [
    [
      factsWith({ versions: [versionWith('7', [element('form'), frame('www.youtube.com')])] }),
      'notice',
      ['"7"', '<form>', 'www.youtube.com', '`sanitize`', `${docs}/security.md#allow-more`],
    ],
  ],
  'like-html': [
    [
      factsWith({
        versions: [{ ...versionWith('7', []), text: { title: 't' } as never, likeHtml: true }],
      }),
      'notice',
      ['"7"', "Set `format: 'html'`."],
    ],
  ],
  'many-texts': [
    [
      factsWith({
        options: { bodies: 'store' },
        versions: Array.from({ length: 10_000 }, (_, id) => versionWith(String(id), [])),
      }),
      'notice',
      ['10000', "Set `bodies: 'mirror'`", '<ArticleBody>'],
    ],
  ],
  status: [
    [
      factsOfService(
        ['published', 'draft', 'published'].map((status, id) => ({
          id: String(id),
          extra: { status },
        })),
      ),
      'advice',
      [
        '`status`',
        '"published" in 2, "draft" in 1',
        '`transform`',
        `${docs}/guides/drafts-and-preview.md#leave-out-drafts`,
      ],
    ],
  ],
  order: [
    [
      factsWith({ rows, options: { order: 'oldest-first' } }),
      'notice',
      ['newest first, by `date`', "Set `order: 'newest-first'`."],
    ],
    [
      factsWith({ rows: rows.toReversed(), options: { newest: 5 } }),
      'notice',
      ['`newest`', 'sort the listing with `query`'],
    ],
    [
      factsOfService(
        ['1', '2', '3'].map((id) => ({ id, isWhole: true })),
        { options: { rows: 'whole' } },
      ),
      'advice',
      ['oldest first, by ids', "Set `order: 'oldest-first'`."],
    ],
    [
      factsOfService(
        ids.map((id, at) => ({ id, extra: { date: day(at) } })),
        { options: { order: 'oldest-first' } },
      ),
      'advice',
      ['newest first, by `date`', "Set `order: 'newest-first'`."],
    ],
  ],
  'whole-rows': [
    [
      factsOfService(ids.map((id) => ({ id, isWhole: true }))),
      'advice',
      ["Set `rows: 'whole'`", '3 in a first load'],
    ],
  ],
  'changed-by': [
    [
      factsWith({ rows, options: { rows: { changedBy: 'updated' } } }),
      'notice',
      ['"updated"', '`rows.changedBy`', '"date", "a \\"field\\""'],
    ],
    [
      factsOfService(
        summaries.map(({ id, row }) => ({
          id,
          row: { updated_at: row.edited },
          extra: { updated_at: row.edited },
        })),
      ),
      'advice',
      ['3 of 3', "set `rows: { changedBy: 'updated_at' }`"],
    ],
    [
      factsOfService(ids.map((id) => ({ id }))),
      'advice',
      ['3 of 3', '`rows: { changedBy }`', '`updated_at`'],
    ],
  ],
  'changed-by-unclear': [
    [
      factsWith({
        rows: rows.map((row, at) => ({ ...row, extra: { edited: at === 0 ? 7 : '13.05.2026' } })),
        options: { rows: { changedBy: 'edited' } },
      }),
      'notice',
      ['"edited"', '`rows.changedBy`', '"a", "b"', '2026-03-02T12:00:00Z', '`fetch`'],
    ],
  ],
  fields: [
    [
      factsOfService([{ id: '7', extra: { author: 'Ada' } }]),
      'advice',
      [
        'schema: (context) =>\n    articleSchema(context).extend({\n      author: z.string(), // in 1 of 1 articles\n    }),',
      ],
    ],
    [
      factsOfService([{ id: '7', extra: { author: 'Ada' } }], {
        service: { hasOtherEntries: true },
      }),
      'advice',
      ['      author: z.string().nullish(), // in 1 of 1 articles'],
    ],
  ],
};

test.each(Object.entries(judged))('the row %s names what it is about', (code, cases) => {
  const judge = judgedTable[code as keyof typeof judgedTable];
  for (const [facts, level, parts] of cases) {
    const [said = {}] = [judge(facts) ?? []].flat();
    expect(Object.keys(said)).toEqual([level]);
    for (const part of parts) expect(Object.values(said)[0]).toContain(part);
  }
});

const whole = ids.map((id) => ({ id, isWhole: true }));
test.each<[string, Facts]>([
  ['nothing', factsWith({})],
  ['nothing, in a first load', factsOfService([])],
  ['an article with nothing to say', factsWith({ versions: [versionWith('7', [])] })],
  [
    'front matter that an older rendering could not read',
    factsWith({
      versions: [
        {
          transformed,
          article: {
            ...article,
            renderings: [rendering, { ...rendering, brokenFrontMatter: 'a tab' }],
          },
        },
      ],
    }),
  ],
  ['the order of its dates', factsWith({ rows })],
  [
    'another order of ids, in a later load',
    factsWith({ rows: ['1', '2', '3'].map((id) => ({ id, extra: {} })) }),
  ],
  ['a field that rows have', factsWith({ rows, options: { rows: { changedBy: 'date' } } })],
  [
    'a field that no row has, where each row is the whole article',
    factsWith({
      rows: rows.map((row) => ({ ...row, record: 'r' })),
      options: { rows: { changedBy: 'updated' } },
    }),
  ],
  [
    "rows that are used with `rows: 'whole'`",
    factsOfService(whole, { options: { rows: 'whole' } }),
  ],
  [
    'a state that the schema takes',
    factsOfService(
      whole.map((each, at) => ({ ...each, extra: { status: at ? 'a' : 'b' } })),
      { options: { rows: 'whole' }, service: { taken: new Set(['status']) } },
    ),
  ],
])('nothing is said of %s', (_, facts) => {
  expect(sayFacts(facts, '')).toEqual({ notices: [], advice: '' });
});

test('a page of the documentation has each row of the table, and no other', () => {
  const [, section = ''] = read('docs/architecture.md').split('## What a load says');
  const codes = section.split('\n## ')[0]?.match(/(?<=^\| `)[\w-]+/gm) ?? [];
  expect(codes.toSorted()).toEqual(
    ['article', ...Object.keys(seenTable), ...Object.keys(judgedTable)].toSorted(),
  );
});
