import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { articlesLoader } from '../../../src/content/articles-loader.ts';
import articles from '../../../src/integration/index.ts';
import { optionsSchema } from '../../../src/options/options.ts';
import { textOf } from '../../helpers/error-text.ts';

const sanitizeLine =
  "`sanitize`: expected true, false, 'strict' or an object with lists of `tags`, `attributes` and `iframes`.";

/** The line about the first option that is invalid. */
function lineAbout(options: unknown): string {
  const subject = `articlesLoader(${inspect(options)})`;
  const [, line = ''] = textOf(() => articlesLoader(options as object), subject).split('\n');
  return line.trim();
}

describe('options', () => {
  test('of two integrations in one config are refused, because one would be ignored', () => {
    const [one, two] = [articles(), articles({ drafts: 'dev' })];
    const setup = one.hooks['astro:config:setup'] as (given: object) => void;
    expect(() => setup({ config: { integrations: [one, two] } })).toThrow('more than once');
  });

  test('can be left out everywhere, as `astro add` writes articles()', () => {
    expect(articles().name).toBe('astro-articles');
    expect(articlesLoader().name).toBe('astro-articles');
  });
});

describe('an invalid option', () => {
  test.each([
    [{ redirects: false }, 'Unknown option `redirects`.'],
    [{ pagesize: 1 }, 'Unknown option `pagesize`.'],
    [{ images: { cover: 'local' } }, 'Unknown option `images.cover`.'],
    [{ pageSize: 501 }, '`pageSize`: expected a whole number from 1 to 500.'],
    ...[30, 999, 1500.5, Number.NaN].map((timeout): [object, string] => [
      { timeout },
      '`timeout`: expected milliseconds, from 1000 to 3600000 (30 seconds are 30_000).',
    ]),
    [{ failOn: 'service' }, "`failOn`: expected a list, such as `failOn: ['service']`."],
    [{ fetch: 'x' }, '`fetch`: expected a function.'],
    [{ rows: 5 }, "`rows`: expected 'compare', 'whole' or { changedBy: 'the name of a field' }."],
    [{ entryId: () => 'x' }, '`entryId`: Invalid option: expected one of "id"|"slug".'],
    [{ images: [] }, '`images`: Invalid input: expected object, received array.'],
    [{ sanitize: 'no' }, sanitizeLine],
    [{ sanitize: { attributes: { a: 5 } } }, sanitizeLine],
    [{ mirrorDir: '' }, '`mirrorDir`: Too small: expected string to have >=1 characters.'],
    [5, 'The options: Invalid input: expected object, received number.'],
  ])('%j is described', (options, line) => {
    expect(lineAbout(options)).toBe(`- ${line}`);
  });

  test.each(Object.keys(optionsSchema.shape))('%s is named when it has a wrong type', (name) => {
    expect(lineAbout({ [name]: Symbol('wrong') })).toContain(`\`${name}\`: `);
  });

  test('is not repeated when it may be a secret', () => {
    expect(lineAbout({ apiKey: 123456789 })).not.toContain('123456789');
  });
});

describe('the allow-list of `sanitize`', () => {
  const tags = 'noscript SCRIPT style animate set iframe object astro-island';
  const attributes =
    'onclick OnLoad srcdoc xml:onload shadowrootmode formaction ' +
    '_ x-data x-on:click @click :class hx-get ws-connect sse-connect ng-click ng_click v-html up-follow wire:click ' +
    'data-hx-get data-script data-turbo-method data-turbo-permanent data-astro-transition-persist data-method ' +
    'data-controller data-action data-gallery-target data-init data-effect data-on-load data-text data-bind ' +
    'data-signals data-x-data data-v-html data-bs-toggle data-toggle data-wire-click data-up-follow';
  const asTag =
    'tags.1`: expected an element that runs no script, embeds no page and stays within the article; `sanitize.iframes` allows frames.';
  const asAttribute =
    'attributes.*.0`: expected an attribute that neither browsers nor script libraries act on; only `sanitize: false` keeps it.';
  test.each<[string, object, string]>([
    ...tags.split(' ').map((name): [string, object, string] => {
      return [name, { tags: ['figure', name] }, asTag];
    }),
    ...attributes.split(' ').map((name): [string, object, string] => {
      return [name, { attributes: { '*': [name] } }, asAttribute];
    }),
  ])('refuses what can run script: %s', (_, sanitize, line) => {
    expect(lineAbout({ sanitize })).toBe(`- \`sanitize.${line}`);
  });

  test('accepts elements and attributes that cannot', () => {
    const sanitize = { tags: ['svg', 'math', 'my-chart'], attributes: { 'my-chart': ['data-x'] } };
    expect(optionsSchema.parse({ sanitize }).sanitize).toEqual(sanitize);
  });
});
