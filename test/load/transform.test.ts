import { pathToFileURL } from 'node:url';
import type { SchemaContext } from 'astro/content/config';
import { z } from 'astro/zod';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { articleSchema } from '../../src/content/schema.ts';
import { siteAt } from '../../src/content/site-state.ts';
import { liveArticlesLoader } from '../../src/live/index.ts';
import type { ArticlesOptions, Transform, TransformedArticle } from '../../src/options/options.ts';
import { runs } from '../helpers/runs.ts';
import { speedUp } from '../helpers/time.ts';
import { allowRemoval, key, offline, useSite } from '../helpers/use-site.ts';

const site = useSite({ articles: () => makeArticles(3, { words: [20, 40] }) });
/** Leaves out the articles with a higher id. */
const upTo =
  (count: number) =>
  <T extends { id: string }>(article: T) =>
    Number(article.id) <= count ? article : undefined;

test('`transform` changes an article before it is rendered, and leaves out others', async () => {
  const seen: unknown[] = [];
  const transform: Transform = (article, context) => {
    seen.push([article.id, context.collection]);
    if (article.id === '2') return undefined;
    const [title, content] = [`About ${article.id}`, `# Changed\n\n${article.id}`];
    return { ...article, title, content, cover_image: null };
  };
  await site.load();
  const { entries, log } = await site.load({ transform });
  expect(log).toContain('1 removed ("2")');
  expect((await site.load({ transform })).log).toContain('0 removed');
  expect(seen).toContainEqual(['2', 'articles']);
  expect([...entries.keys()].sort()).toEqual(['1', '3']);
  expect(entries.get('1')).toMatchObject({
    data: { title: 'About 1', slug: 'about-1-1', cover_image: null },
    body: '# Changed\n\n1',
    rendered: { html: expect.stringContaining('Changed') },
  });
});

test('`transform` receives the cover with its signature, in each load', async () => {
  const cover_image = '/media/a.jpg?X-Amz-Signature=new';
  site.service.replace(makeArticles(1).map((article) => ({ ...article, cover_image })));
  const transform = vi.fn<Transform>((article) => article);
  const options = { transform, images: { covers: 'remote' } } as const;
  for (const _ of [1, 2]) await site.load(options);
  const covers = transform.mock.calls.map(([article]) => article.cover_image);
  expect(covers).toEqual([cover_image, cover_image]);
});

test.each([offline, { options: { failOn: [] } }])(
  'articles of the mirror that `transform` newly leaves out fail the load with %o',
  async ({ options = {}, env = {} }: { options?: ArticlesOptions; env?: object }) => {
    site.service.replace(makeArticles(30, { words: [5, 9] }));
    await site.load();
    const transform = upTo(10);
    const { failure, entries } = await site.load({ transform, ...options }, { env: { ...env } });
    expect(failure?.message).toContain(
      'The mirror has 30 articles, 20 of them left out by `transform`',
    );
    expect(entries.size).toBe(30);
    const allowed = await site.load(
      { transform, ...options },
      { env: { ...env, ...allowRemoval.env } },
    );
    expect(allowed.entries.size).toBe(10);
  },
);

test('slugs that a schema sets have a history, too', async () => {
  const schema = (context: SchemaContext) =>
    articleSchema(context)
      .extend({ path: z.string() })
      .transform(({ path, ...data }) => ({ ...data, slug: path }));
  const withSlug = (slug: string) =>
    site.load(
      { transform: (article) => ({ ...article, path: `${slug}-${article.id}` }) },
      { schema },
    );
  await withSlug('first');
  await withSlug('second');
  const { entries } = await withSlug('second');
  expect(entries.get('1')?.data.slug).toBe('second-1');
  const { current } = siteAt(pathToFileURL(`${site.root}/`)).slugs.get('articles') ?? {};
  expect(current?.get('1')).toBe('second-1');
  expect(current?.size).toBe(3);
});

describe('what `transform` returns', () => {
  const tooDeep: unknown = JSON.parse('['.repeat(99) + ']'.repeat(99));
  const made = fc.oneof(
    fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true }),
    fc.dictionary(
      fc.string(),
      fc.oneof(fc.date({ noInvalidDate: true }), fc.bigInt(), fc.string()),
    ),
    fc.constantFrom('2024-05-01T10:00:00', { a: new Map() }, tooDeep, [tooDeep]),
  );
  const title = fc.oneof(fc.constant('A *title*'), fc.string());
  const content = fc.constantFrom(
    '---\ntags: [a, b]\ndate: 2024-05-01\n---\n\n## Tides\n\nThe text.',
    'a\n\n## b <script>c</script>\n\n![d](/e.png)',
    '',
  );

  test('is the same in each load and on a live page, or is refused in each', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    speedUp(1);
    site.service.replace(makeArticles(1, { words: [5, 9] }));
    await site.load();
    const schema = (context: SchemaContext) =>
      articleSchema(context).extend({ made: z.unknown().optional(), front: z.unknown() });
    const reached = { shown: 0, drafts: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(title, content, made, async (title, content, made) => {
        const transform: Transform = (article, { frontMatter: front }) => ({
          ...{ ...article, title, content, made, front },
        });
        const loads = [
          () => site.load({ transform }, { schema, ...allowRemoval }),
          () => site.load({ transform }, { schema, ...allowRemoval }),
          () => site.load({ transform }, { schema, env: { ...offline.env, ...allowRemoval.env } }),
          () => site.load({ transform }, { schema, inMemory: true, ...allowRemoval }),
        ];
        const seen = [];
        for (const load of loads) {
          const { entries, failure } = await load();
          const { data, digest, rendered } = entries.get('1') ?? {};
          const refused = 'the value that `transform` returned';
          if (failure) expect(failure.message).toContain(refused);
          seen.push(failure ? refused : { data, digest, rendered });
        }
        const [first] = seen;
        expect(seen).toEqual(seen.map(() => first));
        const service = { baseUrl: site.service.url, apiKey: key };
        const { loadEntry } = liveArticlesLoader({ ...service, transform });
        const live = await loadEntry({ filter: { id: '1' }, collection: 'articles' });
        if (typeof first !== 'object' || !first.data) {
          const error = { message: expect.stringContaining(`${first}`) };
          expect(live).toEqual(
            typeof first === 'string' ? { error: expect.objectContaining(error) } : undefined,
          );
          reached[typeof first === 'string' ? 'refused' : 'drafts'] += 1;
          return;
        }
        const { position: _, cover_color: __, ...data } = first.data;
        const { html = '', metadata } = first.rendered ?? {};
        expect(live).toMatchObject({
          data,
          rendered: { html: html.trim(), metadata: { headings: metadata?.headings } },
        });
        reached.shown += 1;
      }),
      {
        ...runs(18),
        examples: [
          ['A', '---\ntags: [a, b]\ndate: 2024-05-01\n---\n\n## Tides\n\nThe text.', 1],
          ['B', '', 2],
        ],
      },
    );
    expect(Math.min(...Object.values(reached)), JSON.stringify(reached)).toBeGreaterThan(0);
  });
});

test.each<[string, (article: TransformedArticle) => unknown, RegExp]>([
  [
    'nothing',
    () => undefined,
    /^The service lists 3 articles, 3 of them left out by `transform`\. No article can be shown\.$/,
  ],
  [
    'a number as title',
    (article) => ({ ...article, title: 1984 }),
    /title: the value that `transform` returned: expected text, got a number/,
  ],
])('a `transform` that returns %s fails the first load, and is named', async (_, made, message) => {
  const transform = made as ArticlesOptions['transform'];
  expect((await site.loadFails({ transform })).message).toMatch(message);
});

const names = [...'abcdefgh'];
const lists = names.map((name, index) => {
  const parts = Array.from({ length: 9 }, () => (index > 0 ? `*${names[index - 1]}` : 'x'));
  return `${name}: &${name} [${parts.join(', ')}]`;
});
const keys = [`a: &x "${'x'.repeat(100_000)}"`, 'b:', `  ? [${'*x, '.repeat(200)}]`, '  : 1'];
test.each([
  ['values', lists],
  ['a key', keys],
])('front matter that repeats its parts without end in %s has no fields', async (_, bomb) => {
  site.service.change(1, { content: `---\n${bomb.join('\n')}\n---\n\nThe text.` });
  const transform: ArticlesOptions['transform'] = (article, { frontMatter }) => {
    return { ...article, title: String(Object.keys(frontMatter).length) };
  };
  const { data } = (await site.load({ transform })).entries.get('1') ?? {};
  expect(data).toMatchObject({ title: '0', description: 'The text.' });
});

test('an article whose new and stored versions fail for one reason is listed once', async () => {
  await site.load();
  site.service.change(1, { title: 'Edited' });
  const transform = () => {
    throw new Error('no such author');
  };
  const { failure } = await site.load({ transform });
  expect(failure?.message).toMatch(/^3 articles cannot be used:\n/);
  expect(failure?.message).toContain('`transform` failed: no such author');
  expect(failure?.message.match(/^ {2}- articles (?:"\d", ){2}"\d": /gm)).toHaveLength(1);
});
