import { execFileSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { posix } from 'node:path';
import { load } from 'js-yaml';
import { describe, expect, it, test } from 'vitest';
import { loaderOptionsSchema } from '../../src/content/articles-loader.ts';
import { ArticlesError, errorCodes } from '../../src/errors.ts';
import {
  type ArticlesIntegrationOptions,
  parseIntegrationOptions,
} from '../../src/integration/integration-options.ts';
import {
  type LiveArticlesOptions,
  liveSchema,
  type OptionsOfBuilds,
} from '../../src/live/live-options.ts';
import { ownSites } from '../helpers/documented-site.ts';
import {
  anchorsOf,
  codeBlocks,
  development,
  pages,
  read,
  root,
  tableBelow,
} from '../helpers/readme.ts';

const documents = [...pages, 'AGENTS.md', 'SECURITY.md', 'CHANGELOG.md', ...development];
const blocks = pages.flatMap(codeBlocks);

describe('every page', () => {
  it.each(pages)('%s begins with its title and a paragraph', (page) => {
    const [title = '', blank, paragraph = ''] = read(page).split('\n', 3);
    expect(title).toMatch(/^# \S/);
    expect(blank).toBe('');
    expect(paragraph).toMatch(/^(?!```)[\p{L}`]/u);
  });

  it.each(documents)('%s has links that lead somewhere', (page) => {
    expect(brokenLinks(page)).toEqual([]);
  });

  it('is in the index, and in the sidebar of the site, unless it is for contributors', () => {
    const index = read('docs/README.md');
    const sidebar = read('docs/src/sidebar.ts');
    for (const page of pages) {
      if (page.endsWith('README.md')) continue;
      const path = page.replace('docs/', '');
      expect(index, page).toContain(`](${path})`);
      const name = path.replace(/\.md$/, '');
      if (!['architecture', 'benchmarks'].includes(name))
        expect(sidebar, page).toContain(`'${name}'`);
    }
  });
});

/** Links to files of this repository that do not exist, and to headings that they do not have. */
function brokenLinks(page: string): string[] {
  const text = read(page).replace(/^```[\s\S]*?^```$|`[^`\n]+`/gm, '');
  const links = Array.from(text.matchAll(/\]\(([^)\s]+)\)/g), ([, link = '']) => link);
  return links.filter((link) => {
    if (link.startsWith('https://')) return false;
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? page : posix.join(posix.dirname(page), path);
    if (!existsSync(`${root}/${target}`)) return true;
    return anchor !== undefined && !anchorsOf(target).has(anchor);
  });
}

describe('architecture.md', () => {
  const page = 'docs/architecture.md';
  const pathsIn = (cells: readonly (string | undefined)[]) =>
    cells.flatMap((cell = '') =>
      Array.from(cell.matchAll(/`([\w./-]+)`/g), ([, path = '']) => path),
    );

  it('says which files to open, and they exist', () => {
    const changes = tableBelow(page, 'Where to change what');
    const values = tableBelow(page, 'What says that something is unchanged');
    expect(changes.length).toBeGreaterThanOrEqual(10);
    const sources = [
      ...pathsIn(changes.map(([, open]) => open)),
      ...pathsIn(values.map(([, , where]) => where)),
    ];
    const tests = pathsIn(changes.map(([, , tests]) => tests));
    const missing = [
      ...sources.filter((path) => !existsSync(`${root}/src/${path}`)),
      ...tests.filter((path) => globSync(`${root}/test/${path}{,.test.ts}`).length === 0),
    ];
    expect(sources.length + tests.length).toBeGreaterThan(30);
    expect(missing).toEqual([]);
  });
});

describe('drafts', () => {
  const [, rule = ''] =
    /an article is a draft: one (.*?)\. \*\//.exec(read('src/client/article.ts')) ?? [];
  const stating = [
    'src/options/options.ts',
    'docs/guides/drafts-and-preview.md',
    'docs/reference/service.md',
    'docs/troubleshooting.md',
  ];

  it.each(stating)('are described in %s as in the comment of isDraft()', (page) => {
    expect(rule).not.toBe('');
    const prose = read(page).replace(/\n\s*\* /g, ' ');
    const sentences = prose.split(/[.;]\s/).filter((sentence) => sentence.includes(rule));
    expect(
      sentences.some((sentence) => /\bdrafts?\b/i.test(sentence)),
      `"${rule}"`,
    ).toBe(true);
  });
});

describe('errors.md', () => {
  const sections = read('docs/errors.md').split(/^## /m).slice(1);
  const byCode = new Map(sections.map((text) => [/^`([a-z-]+)`\n/.exec(text)?.[1], text]));

  it('has one section for each code, and no other', () => {
    byCode.delete(undefined);
    expect([...byCode.keys()].toSorted()).toEqual([...errorCodes].toSorted());
  });

  it.each(errorCodes)(
    'has the heading that errors of %s name, in a file of the package',
    (code) => {
      const { hint } = new ArticlesError(code, 'no');
      const { name, files } = JSON.parse(read('package.json'));
      const [page = '', anchor = ''] =
        hint?.replace(`See node_modules/${name}/`, '').split('#') ?? [];
      expect(files.some((pattern: string) => posix.matchesGlob(page, pattern))).toBe(true);
      expect(anchorsOf(page)).toContain(anchor);
    },
  );

  it.each(errorCodes)('describes the symptom, the cause and the fix of %s', (code) => {
    expect(byCode.get(code)?.match(/^- \*\*[^*]+\*\* \S/gm)).toEqual([
      expect.stringContaining('You see:'),
      expect.stringContaining('Why:'),
      expect.stringContaining('What to do:'),
    ]);
  });
});

describe('options', () => {
  it('are documented for live collections with their defaults', () => {
    const rows = new Map(
      tableBelow('docs/reference/live.md', 'Options').map(([names, value]) => [names, value]),
    );
    const { concurrency, timeout, retries } = liveSchema.parse({});
    for (const [name, value] of Object.entries({ concurrency, timeout, retries })) {
      expect(rows.get(`\`${name}\``), name).toBe(`\`${value}\``);
    }
  });

  const sections = [
    'Service',
    'Listing',
    'Articles and their text',
    'Images',
    'Failures and files',
  ];
  const rows = sections
    .flatMap((section) => tableBelow('docs/reference/options.md', section))
    .map(([cell = '', , value = '']) => {
      const [name = ''] = /(?<=`)[\w.]+(?=`)/.exec(cell) ?? [];
      const [, text] = /^`(.+?)`(?: \(|$)/.exec(value) ?? [];
      const [, ...range] = /\(([\d,]+) to ([\d,]+)\)$/.exec(value) ?? [];
      return { name, text, range: range.map((limit) => Number(limit.replaceAll(',', ''))) };
    });
  const parseWith = (name: string, value: unknown) =>
    loaderOptionsSchema.safeParse(
      name.split('.').reduceRight<unknown>((inner, part) => ({ [part]: inner }), value),
    );

  // Other defaults are described in words.
  it.each(rows.filter(({ text }) => text?.match(/^['[{\d]|^true$/)))(
    'have the default that is documented: $name is $text',
    ({ name, text = '' }) => {
      const documented = JSON.parse(text.replaceAll("'", '"').replaceAll('_', ''));
      const defaults: unknown = loaderOptionsSchema.parse({});
      const value = name
        .split('.')
        .reduce<unknown>((inner, part) => Reflect.get(Object(inner), part), defaults);
      expect(value).toEqual(documented);
    },
  );

  it.each(rows.filter(({ range }) => range.length > 0))(
    'accept the numbers that are documented, and no other: $name from $range',
    ({ name, range: [least = 0, most = 0] }) => {
      const given = [least - 1, least, most, most + 1];
      const accepted = given.filter((value) => parseWith(name, value).success);
      expect(accepted).toEqual([least, most]);
    },
  );

  it('of which some have a documented default or range', () => {
    expect(rows.filter(({ text }) => text).length).toBeGreaterThan(15);
    expect(rows.filter(({ range }) => range.length > 0).length).toBeGreaterThan(4);
  });

  it('that have an effect in live collections are in the table', () => {
    // The type check names one that is missing here.
    const names: Record<Exclude<keyof LiveArticlesOptions, keyof OptionsOfBuilds>, true> = {
      ...{ baseUrl: true, apiKey: true, concurrency: true, timeout: true, retries: true },
      ...{ render: true, query: true, fetch: true, transform: true, format: true, drafts: true },
      ...{ sanitize: true, links: true },
    };
    const rows = tableBelow('docs/reference/live.md', 'Options');
    const documented = rows.flatMap(([cell = '']) => cell.match(/\w+/g) ?? []);
    expect(documented.toSorted()).toEqual(Object.keys(names).toSorted());
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
  it('shows each file once after the quick start, except for guides with a site of their own and live collections with previews', () => {
    const shared = pages.filter((page) => ![...ownSites.flat(), 'README.md'].includes(page));
    for (const site of [shared, ...ownSites]) {
      const paths = site
        .flatMap(codeBlocks)
        .flatMap(({ page, path }) =>
          path && (page !== 'docs/guides/preview-links.md' || path !== 'src/live.config.ts')
            ? path
            : [],
        );
      expect(paths.length).toBeGreaterThan(0);
      expect(paths).toEqual([...new Set(paths)]);
    }
  });

  it('has data that can be parsed', () => {
    for (const { language, code, page } of blocks) {
      if (language === 'yaml') expect(load(code), page).toBeTypeOf('object');
      if (language === 'json') expect(JSON.parse(code), page).toBeTypeOf('object');
    }
  });
});

test('only package.json, the README and what the first release adds to the template name the owner of the repository', () => {
  const { repository } = JSON.parse(read('package.json'));
  const owner = new URL(repository.url).pathname.split('/')[1] ?? '';
  expect(owner).not.toBe('');
  const pattern = `github(usercontent)?\\.com[/:]${owner}\\b|\\b${owner}\\.github\\.io`;
  const others = [
    'package-lock.json',
    'test',
    '.github/first-release.ts',
    'docs/start/template.md',
  ];
  const args = ['grep', '-lE', pattern, '--', ...others.map((path) => `:!${path}`)];
  const named = execFileSync('git', args, { cwd: root, encoding: 'utf8' });
  expect(named).toBe('README.md\npackage.json\n');
});

test('each variable of the package is in the table of variables', () => {
  const named = globSync('src/**/*.ts', { cwd: root }).flatMap((file) =>
    Array.from(read(file).matchAll(/\bARTICLES_[A-Z_]+/g), ([name]) => `\`${name}\``),
  );
  const documented = tableBelow('docs/reference/options.md', 'Environment').map(([name]) => name);
  expect(new Set(named)).toEqual(new Set(documented));
});

test('AGENTS.md is an index of at most 8 KB', () => {
  expect(Buffer.byteLength(read('AGENTS.md'))).toBeLessThanOrEqual(8 * 1024);
});

test('the skill is in the package, short, and names files that are there', () => {
  const path = 'skills/astro-articles/SKILL.md';
  const text = read(path);
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
  expect(load(text.split('---\n')[1] ?? '')).toEqual({
    name: 'astro-articles',
    description: expect.stringMatching(/^[A-Z].{50,}\.$/),
  });
  const { files } = JSON.parse(read('package.json'));
  expect(files).toContain('skills');
  const named = text.match(/\b(?:docs\/[\w/-]+\.md|AGENTS\.md)/g) ?? [];
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter((file) => !existsSync(`${root}/${file}`))).toEqual([]);
});

test('every row of "Works with" names a test that exists', () => {
  const [, table = ''] = read('docs/comparison.md').split('\n## Works with\n');
  const lines = table.match(/^\|.*\|$/gm) ?? [];
  const rows = lines.filter((line) => !/^\| (with|---) \|/.test(line));
  expect(rows.length).toBeGreaterThan(0);
  for (const row of rows) {
    const path = / `(test\/[^`]+\.test\.ts)` \|$/.exec(row)?.[1] ?? '';
    expect(path && existsSync(`${root}/${path}`), row).toBe(true);
  }
});

test('ids are encoded in the links of live pages', () => {
  const links = pages
    .flatMap(codeBlocks)
    .flatMap(({ code }) => code.match(/\blive\/\$\{[^}]*/g) ?? []);
  expect(links.length).toBeGreaterThan(0);
  for (const link of links) expect(link).toContain('${encodeURIComponent(');
});

test('changesets are about this package, and begin with what they do', () => {
  for (const path of globSync('.changeset/*.md', { cwd: root })) {
    expect(read(path), path).toMatch(
      /^---\n'astro-articles': (minor|patch)\n---\n\n(Adds|Changes|Fixes|Removes) /,
    );
  }
});
