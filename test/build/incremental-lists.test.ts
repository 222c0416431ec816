import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { isLong } from '../helpers/runs.ts';
import type { Site } from '../helpers/site.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';

/**
 * A site whose pages show several articles each, built with `experimental.incrementalBuild` after each edit,
 * and compared with a complete build.
 */

const service = await useService({ articles: makeArticles(9, { words: [20, 60] }) });
const sites = useSites();
let incremental: Site;
let complete: Site;

beforeAll(async () => {
  incremental = await sites.create({ files: filesOf({ incrementalBuild: true }) });
  complete = await sites.create({ files: filesOf({ incrementalBuild: false }) });
});

const filesOf = (experimental: { incrementalBuild: boolean }) => ({
  'astro.config.mjs': `
    import { defineConfig } from 'astro/config';
    import articles from 'astro-articles';
    export default defineConfig({
      site: 'https://site.example',
      integrations: [articles()],
      experimental: ${JSON.stringify(experimental)},
    });`,
  'src/articles.ts': `
    import { getCollection } from 'astro:content';
    export async function newestFirst() {
      const entries = await getCollection('articles');
      return entries.sort((a, b) => b.data.position - a.data.position);
    }`,
  'src/components/Card.astro': `---
    import { Image } from 'astro:assets';
    const { article: { data } } = Astro.props;
    ---
    <li>
      <a href={'/articles/' + data.slug}>{data.title}</a> {data.description} ({data.words})
      {data.cover_image && <Image src={data.cover_image} alt="" width={64} height={48} />}
    </li>`,
  'src/pages/articles/[slug].astro': `---
    import { render } from 'astro:content';
    import { cacheKey } from 'astro-articles';
    import { newestFirst } from '../../articles.ts';
    import Card from '../../components/Card.astro';
    export async function getStaticPaths() {
      const entries = await newestFirst();
      return entries.map((entry, index) => {
        const [next, previous] = [entries[index - 1], entries[index + 1]];
        return {
          params: { slug: entry.data.slug },
          props: { entry, next, previous },
          cacheKey: cacheKey(entry, next, previous),
        };
      });
    }
    const { entry, next, previous } = Astro.props;
    const { Content } = await render(entry);
    ---
    <h1>{entry.data.title}</h1>
    <Content />
    {next && <a rel="next" href={'/articles/' + next.data.slug}>{next.data.title}</a>}
    {previous && <ul><Card article={previous} /></ul>}`,
  'src/pages/[...page].astro': `---
    import { cacheKey } from 'astro-articles';
    import { newestFirst } from '../articles.ts';
    import Card from '../components/Card.astro';
    export async function getStaticPaths({ paginate }) {
      return paginate(await newestFirst(), { pageSize: 3 }).map((path) => {
        const { data, lastPage, total } = path.props.page;
        return { ...path, cacheKey: cacheKey(...data, lastPage, total) };
      });
    }
    const { page } = Astro.props;
    ---
    <h1>Page {page.currentPage} of {page.lastPage}, {page.total} articles</h1>
    <ul>{page.data.map((article) => <Card article={article} />)}</ul>
    {page.url.next && <a href={page.url.next}>older</a>}`,
  // Pages of the default site, one of which contains values that differ between two sites.
  'src/pages/entries.json.ts': 'export const GET = () => new Response();',
  'src/pages/[...slug].astro': '---\nexport const getStaticPaths = () => [];\n---\n',
});

type Edit =
  | { kind: 'title' | 'content' | 'cover' | 'remove'; article: number; text: string }
  | { kind: 'add'; text: string }
  | { kind: 'move'; article: number; to: number };

const text = fc.constantFrom('Tides', 'Tides and prices', 'Prices', 'Über uns', 'A & b', 'Other');
const changes = fc.constantFrom('title', 'content', 'cover', 'remove');
const edit = fc.oneof(
  fc.record({ kind: changes, article: fc.nat(100), text }),
  fc.record({ kind: fc.constant('add'), text }),
  fc.record({ kind: fc.constant('move'), article: fc.nat(100), to: fc.nat(100) }),
) as fc.Arbitrary<Edit>;

function apply(change: Edit, serial: number): void {
  if (change.kind === 'add') {
    const { text: title } = change;
    service.add({ id: `new${serial}`, title, content: title, cover_image: null });
    return;
  }
  const { articles } = service;
  const article = articles[change.article % articles.length];
  if (!article) return;
  const { id, cover_image } = article;
  if (change.kind === 'title') service.change(id, { title: change.text });
  if (change.kind === 'content') service.change(id, { content: `${change.text} ${serial}` });
  if (change.kind === 'cover') {
    service.change(id, { cover_image: cover_image ? null : '/media/tides.jpg' });
  }
  if (change.kind === 'remove' && articles.length > 4) service.remove(id);
  if (change.kind === 'move') {
    const others = articles.filter((other) => other !== article);
    service.replace(others.toSpliced(change.to % articles.length, 0, article));
  }
}

/** Builds a site, and reads every file of its output. */
async function build(site: Site): Promise<{ files: Map<string, string>; skipped: number }> {
  const output = await site.build(service.env);
  const files = new Map<string, string>();
  for (const path of await site.list('dist')) {
    files.set(path, (await readFile(join(site.root, 'dist', path))).toString('base64'));
  }
  return { files, skipped: output.match(/\((cached|restored)\)/g)?.length ?? 0 };
}

const edits = isLong ? 200 : 1;

it(`each incremental build equals a complete one, (edits: ${edits})`, async () => {
  const [changes = []] = fc.sample(fc.array(edit, { minLength: edits, maxLength: edits }), 1);
  let skipped = 0;
  await build(incremental);
  await build(complete);
  for (const [serial, change] of changes.entries()) {
    apply(change, serial);
    const history = JSON.stringify(changes.slice(0, serial + 1));
    const actual = await build(incremental);
    const expected = await build(complete);
    skipped += actual.skipped;
    expect([...actual.files.keys()], history).toEqual([...expected.files.keys()]);
    for (const [path, bytes] of expected.files) {
      const other = actual.files.get(path) ?? '';
      if (other === bytes) continue;
      const show = (base64: string) => Buffer.from(base64, 'base64').toString();
      expect(show(other), `${path} after ${history}`).toBe(show(bytes));
    }
  }
  expect(skipped).toBeGreaterThan(0);
}, 7_200_000);
