import { existsSync } from 'node:fs';
import type { SchemaContext } from 'astro/content/config';
import { z } from 'astro/zod';
import { load } from 'js-yaml';
import { describe, expect, it, test } from 'vitest';
import { decodeListed } from '../../src/client/article.ts';
import { decodePage } from '../../src/client/listing/page.ts';
import { type ArticleData, type ArticleSchema, articleSchema } from '../../src/content/schema.ts';
import { articleData } from '../../src/entry/article-data.ts';
import { liveArticleSchema } from '../../src/live/live-entry.ts';
import { packageVersion } from '../../src/shared/version.ts';
import { codeBlocks, read, root, tableBelow } from '../helpers/readme.ts';

const manifest: Manifest = JSON.parse(read('package.json'));

interface Manifest {
  version: string;
  dependencies: Record<string, string>;
  homepage: string;
  repository: { url: string };
}

describe('README.md', () => {
  it('has relative links and pictures, which GitHub and npm resolve by the manifest, next to the one to the documentation', () => {
    const links = read('README.md').matchAll(/\]\(([^)]+)\)|src="([^"]+)"/g);
    // Attributes in code begin with a brace.
    const targets = Array.from(links, ([, link, source = '']) => link ?? source);
    expect(targets.filter((target) => /^\/|:/.test(target))).toEqual([manifest.homepage]);
    const pictures = targets.filter((target) => target.endsWith('.webp'));
    expect(pictures.filter((path) => existsSync(new URL(path, `file://${root}/`)))).toHaveLength(2);
    // npm resolves no other attributes.
    expect(read('README.md')).not.toMatch(/<(?:source|picture)\b/);
    expect(manifest.repository.url).toMatch(
      /^git\+https:\/\/github\.com\/[^/]+\/astro-articles\.git$/,
    );
  });

  it('names the version of the manifest', () => {
    expect(packageVersion).toBe(manifest.version);
    expect(read('README.md')).toContain(`\n| ${packageVersion.split('.').slice(0, 2).join('.')} |`);
  });
});

describe('the fields of an entry', () => {
  const context = { image: () => z.string() } as unknown as SchemaContext;
  const built = Object.keys(articleSchema(context).shape).toSorted();
  const namesIn = (text = '') => Array.from(text.matchAll(/`(\w+)`/g), ([, name]) => name);

  test('are the same before the schema, in the schema, and in its types', () => {
    // The type check names a field that is missing here.
    const types: Record<keyof ArticleSchema['shape'] & keyof ArticleData, true> = {
      ...{ title: true, slug: true, description: true, words: true, position: true },
      ...{ cover_image: true, cover_color: true },
    };
    const text = { title: 't', description: 'd', words: 1, extra: {} };
    const data = articleData(text, { slug: 's', cover: null });
    expect(Object.keys(liveArticleSchema.shape).toSorted()).toEqual(Object.keys(data).toSorted());
    expect(built).toEqual([...Object.keys(data), 'position', 'cover_color'].toSorted());
    expect(built).toEqual(Object.keys(types).toSorted());
  });

  test('are in the reference, in README.md and in AGENTS.md', () => {
    const reference = tableBelow('docs/reference/components.md', '`data`').map(([name]) => name);
    expect(namesIn(reference.join()).toSorted()).toEqual(built);
    for (const page of ['README.md', 'AGENTS.md']) {
      const [line] = /^.*`description`, `words`, .*$/m.exec(read(page)) ?? [];
      expect(namesIn(line), page).toEqual(expect.arrayContaining(built));
    }
  });

  test('that services do not have are named in the guide, with how to rename them', () => {
    const [line] = /^.* the package's own\..*$/m.exec(read('docs/guides/fields.md')) ?? [];
    const ofServices = ['title', 'cover_image', 'slug', 'description'];
    const own = built.filter((name) => !ofServices.includes(name));
    expect(namesIn(line), 'docs/guides/fields.md').toEqual(expect.arrayContaining(own));
  });
});

test('the client accepts the listing that it shows', () => {
  const block = codeBlocks('docs/reference/service.md').find(({ language }) => language === 'json');
  const { rows, count } = decodePage(JSON.parse(block?.code ?? ''));
  expect(count).toBe(26);
  expect(rows.map((row, index) => decodeListed(row, index + 1))).toEqual([
    expect.objectContaining({
      id: '26',
      article: expect.objectContaining({
        title: 'How tides work',
        cover_image: '/media/tides.jpg',
      }),
    }),
  ]);
});

test('the shown workflow restores the mirror after the install, and sets the variables', () => {
  const block = codeBlocks('docs/guides/publish.md').find(({ language }) => language === 'yaml');
  const { on, jobs } = load(block?.code ?? '') as Workflow;
  expect(Object.keys(on)).toEqual(['push', 'repository_dispatch', 'workflow_dispatch', 'schedule']);
  const { steps } = jobs.build;
  const install = steps.findIndex(({ run }) => run === 'npm ci');
  const cache = steps.findIndex(({ uses }) => uses?.startsWith('actions/cache@'));
  const build = steps.findIndex(({ run }) => run === 'npm run build');
  expect(cache).toBeGreaterThan(install);
  expect(build).toBeGreaterThan(cache);
  expect(steps[cache]?.with?.path).toBe('node_modules/.astro');
  expect(Object.keys(steps[build]?.env ?? {})).toEqual(['ARTICLES_BASE_URL', 'ARTICLES_API_KEY']);
});

interface Workflow {
  on: object;
  jobs: {
    build: { steps: { uses?: string; run?: string; with?: { path?: string }; env?: object }[] };
  };
}

test('every dependency is explained', () => {
  const rows = tableBelow('.github/CONTRIBUTING.md', 'Dependencies');
  const explained = rows.flatMap(([names = '']) => names.match(/[a-z0-9.-]+/g) ?? []);
  expect(explained.toSorted()).toEqual(Object.keys(manifest.dependencies).toSorted());
});
