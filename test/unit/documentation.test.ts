import { readFileSync } from 'node:fs';
import { slug } from 'github-slugger';
import { describe, expect, test } from 'vitest';
import { createArticlesClient } from '../../src/client/index.ts';
import { optionPage, seeOptions } from '../../src/documentation.ts';
import { ArticlesError, ArticlesMirrorError } from '../../src/errors.ts';
import articles, { articlesLoader } from '../../src/index.ts';
import { liveArticlesLoader } from '../../src/live/index.ts';
import { optionNames } from '../../src/option-names.ts';
import { printReport } from '../../src/report/summary.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** The sections of the options, by the path that a hint names. */
const sections = new Map(
  [...read('docs/reference/options.md').matchAll(/^### `(.+)`$/gm)].map(([, name = '']) => [
    `node_modules/astro-articles/docs/reference/options.md#${slug(name)}`,
    name,
  ]),
);

function errorOf(run: () => unknown): ArticlesError {
  try {
    run();
  } catch (error) {
    if (ArticlesError.is(error)) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

/** Returns the options whose sections a hint names. */
function sectionsIn(text = ''): string[] {
  const paths = [...text.matchAll(/^See (\S+options\.md\S*)$/gm)];
  return paths.map(([, path = '']) => sections.get(path) ?? `${path} does not exist`);
}

/** Returns the options object with a value for one option: `{ retry: { limit: 4 } }`. */
function nested(name: string, value: unknown): object {
  const [first = '', ...rest] = name.split('.');
  return { [first]: rest.length > 0 ? nested(rest.join('.'), value) : value };
}

describe.each(optionNames)('the option %s', (name) => {
  test('has a section, which each text that names it leads to', () => {
    expect(sections.get(optionPage(name))).toBe(name);
    expect(seeOptions(`Set \`${name}\`.`)).toEqual([`See ${optionPage(name)}`]);
    expect(seeOptions(`Set \`${name}: 'a'\`.`)).toEqual([`See ${optionPage(name)}`]);
  });

  test('is documented in the hint about an invalid value', () => {
    const options = nested(name, Symbol('invalid'));
    const call = name === 'with' ? articlesLoader : articles;
    const { hint } = errorOf(() => call(options));
    // An invalid object is reported as the option that may be one.
    expect(sectionsIn(hint)).toContain(name.replace(/^sanitize\..+/, 'sanitize'));
  });
});

test('the sections of options are those of the schemas', () => {
  expect(optionNames).toEqual([...sections.values()]);
  expect(optionNames.length).toBeGreaterThan(40);
});

test('an unknown option leads to the option that it may be, and a group to its first option', () => {
  const hintAbout = (options: object) => sectionsIn(errorOf(() => articles(options)).hint);
  expect(hintAbout({ pagesize: 5, images: { maxPixel: 1 } })).toEqual([
    'images.maxPixels',
    'pageSize',
  ]);
  expect(hintAbout({ retry: 5 })).toEqual(['retry.limit']);
  expect(hintAbout({ images: { allowPrivateHosts: [5] } })).toEqual(['images.allowPrivateHosts']);
});

test('an option of the client or of a live collection leads to their pages, too', () => {
  const baseUrl = 'https://service.example';
  const hints = [
    errorOf(() => createArticlesClient({ baseUrl, apiKey: 'key', timeout: 0 })).hint,
    errorOf(() => liveArticlesLoader({ timeout: 0 })).hint,
  ];
  expect(hints.map((hint) => hint?.split('\n')[0])).toEqual([
    'node_modules/astro-articles/docs/reference/client.md lists all options.',
    'node_modules/astro-articles/docs/reference/live.md lists all options.',
  ]);
  expect(hints.flatMap(sectionsIn)).toEqual(['timeout', 'timeout']);
});

test('a hint names the options of the message, of the advice and of each note once', () => {
  const error = new ArticlesMirrorError('mirror-empty', '`offline` is set.', {
    path: '/mirror',
    hint: 'Unset `offline`, or set `mirrorDir`.',
  });
  error.addNote('Or set `onUnavailable: "keep"`.');
  expect(error.hint?.split('\n').slice(1)).toEqual([
    ...['offline', 'mirrorDir', 'onUnavailable'].map((name) => `See ${optionPage(name)}`),
    'See node_modules/astro-articles/docs/errors.md#mirror-empty',
  ]);
});

test('other words between backticks lead nowhere', () => {
  expect(
    seeOptions('`limit`, `render(entry)`, `count`, `<ArticleBody>`, `offset: 5`, timeout'),
  ).toEqual([]);
});

test('the warnings of a load name each option once, below all of them', () => {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  const texts = [
    'Cover a: too large (`images.maxPixels`).',
    'Cover b: too large (`images.maxPixels`).',
  ];
  const warnings = texts.map((text) => ({ kind: 'images' as const, text }));
  const report = {
    collection: 'articles',
    status: 'synced' as const,
    at: 0,
    duration: 0,
    warnings,
  };
  printReport(report, { info: print, warn: print });
  expect(lines).toEqual([...texts, `See ${optionPage('images.maxPixels')}`]);
});
