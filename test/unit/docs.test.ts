import { existsSync, globSync } from 'node:fs';
import { posix } from 'node:path';
import { transform } from 'esbuild';
import { load } from 'js-yaml';
import { describe, expect, it, test } from 'vitest';
import { ArticlesError, errorCodes } from '../../src/errors.ts';
import {
  type ArticlesIntegrationOptions,
  parseIntegrationOptions,
} from '../../src/integration/integration-options.ts';
import { parseLiveOptions } from '../../src/live/live-options.ts';
import { optionsSchema } from '../../src/options/options.ts';
import {
  anchorsOf,
  codeBlocks,
  pages,
  proseOf,
  read,
  repository,
  root,
  tableBelow,
} from '../helpers/readme.ts';

const guides = pages.filter((page) => page.startsWith('docs/guides/'));
const documents = [...pages, 'AGENTS.md', 'SECURITY.md', 'CHANGELOG.md', '.github/CONTRIBUTING.md'];
const blocks = pages.flatMap(codeBlocks);

describe('every page', () => {
  it.each(pages)('%s begins with its title and a paragraph', (page) => {
    const [title = '', blank, paragraph = ''] = read(page).split('\n', 3);
    expect(title).toMatch(/^# \S/);
    expect(blank).toBe('');
    expect(paragraph).toMatch(/^[\p{L}`]/u);
  });

  it.each(documents)('%s has links that lead somewhere', (page) => {
    expect(brokenLinks(page)).toEqual([]);
  });

  it('is in the index, and in the sidebar of the site', () => {
    const index = read('docs/README.md');
    const sidebar = read('docs/astro.config.mjs');
    for (const page of pages) {
      if (page.endsWith('README.md')) continue;
      const path = page.replace('docs/', '');
      expect(index, page).toContain(`](${path})`);
      expect(sidebar, page).toContain(`'${path.replace(/\.md$/, '')}'`);
    }
  });

  it.each(documents)('%s is written in the words of the field', (page) => {
    expect(proseOf(page).match(strangeWords) ?? []).toEqual([]);
  });
});

/** Words that other projects of this field do not use in this sense. */
const strangeWords =
  /\b(asks?|asked|asking|asker|answers?\b|tells?|told|stands?|stood|at hand|whoever|whatever|somebody|nobody|anybody|anew|once more|heeds?|obeys?|mends?|mended|cannot be had|alike|likewise|thereof|beside|believed?|what came of it|no more than|as it came|goes on|damaged?)\b/gi;

/** Links to files of this repository that do not exist, and to headings that they do not have. */
function brokenLinks(page: string): string[] {
  const text = read(page).replace(/^```[\s\S]*?^```$|`[^`\n]+`/gm, '');
  const links = Array.from(text.matchAll(/\]\(([^)\s]+)\)/g), ([, link = '']) => link);
  return links.filter((link) => {
    const own = link.startsWith(`${repository}/`)
      ? link.slice(repository.length + 1).replace(/^(blob|tree)\/main\//, '')
      : link;
    if (own.startsWith('https://')) return false;
    const [path = '', anchor] = own.split('#');
    if (path === '' && link !== own) return false;
    const file = link === own ? posix.join(posix.dirname(page), path) : path;
    const target = path === '' ? page : file;
    if (!existsSync(`${root}/${target}`)) return true;
    return anchor !== undefined && !anchorsOf(target).has(anchor);
  });
}

describe('guides', () => {
  it.each(guides)('%s has at most 400 words', (page) => {
    expect(proseOf(page).match(/[\p{L}\p{N}]\S*/gu)?.length).toBeLessThanOrEqual(400);
  });
});

describe('errors.md', () => {
  const sections = read('docs/errors.md').split(/^## /m).slice(1);
  const byCode = new Map(sections.map((text) => [/^`([a-z-]+)`\n/.exec(text)?.[1], text]));

  it('has one section for each code, and no other', () => {
    byCode.delete(undefined);
    expect([...byCode.keys()].toSorted()).toEqual([...errorCodes].toSorted());
  });

  it.each(errorCodes)('has the heading to which the address in errors of %s leads', (code) => {
    const { hint } = new ArticlesError(code, 'no');
    const { homepage } = JSON.parse(read('package.json'));
    const [page = '', anchor = ''] = hint?.replace(`See ${homepage}`, '').split('/#') ?? [];
    expect(page).toBe('errors');
    expect(anchorsOf(`docs/${page}.md`)).toContain(anchor);
  });

  it('is on the site that errors link to', () => {
    const { homepage } = JSON.parse(read('package.json'));
    const config = read('docs/astro.config.mjs');
    const [site, base] = ['site', 'base'].map(
      (field) => new RegExp(`^  ${field}: '(.*)'`, 'm').exec(config)?.[1],
    );
    expect(`${site}${base}/`).toBe(homepage);
  });

  it.each(errorCodes)('describes the symptom, the cause and the fix of %s', (code) => {
    expect(byCode.get(code)?.match(/^- \*\*[^*]+\*\* \S/gm)).toEqual([
      expect.stringContaining('You see:'),
      expect.stringContaining('Why:'),
      expect.stringContaining('What to do:'),
    ]);
  });
});

describe('options', () => {
  it('are all in options.md', () => {
    const text = read('docs/reference/options.md');
    for (const name of Object.keys(optionsSchema.shape)) expect(text, name).toContain(`\`${name}`);
  });

  it('are documented for live collections with their defaults', () => {
    const rows = new Map(
      tableBelow('docs/reference/live.md', 'Options').map(([names, value]) => [names, value]),
    );
    const { concurrency, timeout, totalTimeout, retry, onInvalid } = parseLiveOptions({});
    const shown = { concurrency, timeout, totalTimeout, 'retry.limit': retry.limit, onInvalid };
    for (const [name, value] of Object.entries({ ...shown, 'retry.maxDelay': retry.maxDelay })) {
      const text = typeof value === 'string' ? `'${value}'` : value;
      expect(rows.get(`\`${name}\``), name).toBe(`\`${text}\``);
    }
  });

  const fragments = blocks.filter(({ code }) => code.startsWith('articles({'));
  it.each(fragments)('in $page are accepted: $code', ({ code }) => {
    const received: ArticlesIntegrationOptions[] = [];
    new Function('articles', code)((options: ArticlesIntegrationOptions) => received.push(options));
    expect(received).toHaveLength(1);
    expect(() => parseIntegrationOptions(received[0])).not.toThrow();
  });
});

describe('code', () => {
  it('shows each file once', () => {
    const paths = blocks.flatMap(({ path }) => path ?? []);
    expect(paths).toEqual([...new Set(paths)]);
  });

  const scripts = blocks.filter(({ language }) => ['ts', 'js', 'astro'].includes(language));
  it.each(scripts)('in $page can be parsed: $path', async ({ language, code }) => {
    const script = language === 'astro' ? (/^---\n([\s\S]*?)^---$/m.exec(code)?.[1] ?? '') : code;
    await expect(transform(script, { loader: 'ts' })).resolves.toBeDefined();
  });

  it('has data that can be parsed', () => {
    for (const { language, code, page } of blocks) {
      if (language === 'yaml') expect(load(code), page).toBeTypeOf('object');
      if (language === 'json') expect(JSON.parse(code), page).toBeTypeOf('object');
    }
  });

  it('has a layout with charset, viewport and bounded images, which all pages use', () => {
    const layout = blocks.find(({ path }) => path === 'src/layouts/Page.astro')?.code;
    expect(layout).toContain('<meta charset="utf-8" />');
    expect(layout).toContain('<meta name="viewport"');
    expect(layout).toMatch(/img[^{]*\{ max-width: 100%; height: auto;/);
    for (const { path, code } of blocks) {
      if (path?.startsWith('src/pages/') && path.endsWith('.astro')) {
        expect(code, path).toContain('layouts/Page.astro');
      }
    }
  });
});

test('AGENTS.md is an index of at most 8 KB', () => {
  expect(Buffer.byteLength(read('AGENTS.md'))).toBeLessThanOrEqual(8 * 1024);
});

test('every row of "Works with" names a test that exists', () => {
  const lines = read('docs/works-with.md').match(/^\|.*\|$/gm) ?? [];
  const rows = lines.filter((line) => !/^\| (with|---) \|/.test(line));
  expect(rows.length).toBeGreaterThan(0);
  for (const row of rows) {
    const path = / `(test\/[^`]+\.test\.ts)` \|$/.exec(row)?.[1] ?? '';
    expect(path && existsSync(`${root}/${path}`), row).toBe(true);
  }
});

test('D41: ids are encoded in the links of live pages', () => {
  const links = pages
    .flatMap(codeBlocks)
    .flatMap(({ code }) => code.match(/\/live\/\$\{[^}]*/g) ?? []);
  expect(links.length).toBeGreaterThan(0);
  for (const link of links) expect(link).toContain('${encodeURIComponent(');
  expect(read('docs/reference/live.md')).toContain('An id may contain `/`, `?`, `#` or `%`');
});

test('changesets are about this package, and begin with what they do', () => {
  for (const path of globSync('.changeset/*.md', { cwd: root })) {
    expect(read(path), path).toMatch(
      /^---\n'astro-articles': (minor|patch)\n---\n\n(Adds|Changes|Fixes|Removes) /,
    );
  }
});

describe('D35: workflows', () => {
  const names = ['ci', 'docs', 'release', 'weekly', 'zizmor'];

  it.each(names)('%s pins actions by commit, and gives no permission by default', (name) => {
    const text = read(`.github/workflows/${name}.yml`);
    const uses = text.match(/uses: .+/g) ?? [];
    expect(uses.filter((line) => !/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
    expect(text).toMatch(/^permissions: \{\}$/m);
    const checkouts = text.match(/actions\/checkout@.*\n +with:\n +persist-credentials: false/g);
    expect(checkouts?.length ?? 0).toBe(text.match(/actions\/checkout@/g)?.length ?? 0);
    for (const [line] of text.matchAll(/npm (?:ci|install|i)\b.*/g)) {
      expect(line).toContain('--ignore-scripts');
    }
    expect(load(text)).toHaveProperty('jobs');
  });

  it('publish in a job that runs no code of the repository or of a dependency', () => {
    const text = read('.github/workflows/release.yml');
    const { jobs } = load(text) as { jobs: Record<string, Job> };
    expect(jobs.build?.permissions).toEqual({ contents: 'read' });
    expect(jobs.publish?.permissions).toEqual({ 'id-token': 'write' });
    const commands = jobs.publish?.steps.flatMap(({ run }) => run ?? []);
    expect(commands).toEqual([expect.stringMatching(/^npm publish .*--ignore-scripts$/)]);
    expect(text).not.toContain('secrets.');
  });
});

interface Job {
  permissions: object;
  steps: { run?: string }[];
}
