import { expect, test } from 'vitest';
import type { IndexedArticle } from '../../../src/mirror/formats.ts';
import { adviceOf } from '../../../src/report/advice.ts';

const article = (id: string, more: Partial<IndexedArticle> = {}): IndexedArticle => ({
  ...{ id, title: 't', record: 'r', cover: null, hasContent: true, slug: id },
  ...{ renderings: [], ...more },
});

/** An article from whose HTML these elements were dropped. */
function versionWith(id: string, dropped: string[]) {
  const version = article(id, { renderings: [{ name: 'k-h', images: [], dropped }] });
  return { article: version, transformed: version };
}

test('reports thousands of names of dropped elements in one short line', () => {
  const ids = Array.from({ length: 5_000 }, (_, at) => `id-${at}`);
  const versions = ids.map((id) => versionWith(id, [`x-${id}`]));
  const [notice] = adviceOf(versions, { bodies: 'mirror', sanitize: true });
  expect(notice?.text.length).toBeLessThan(1_000);
  expect(notice?.text).toContain('and 4980 more) from articles id-0');
  expect(notice?.ids).toHaveLength(5_000);
});

/** Returns what is reported of an article from whose HTML these elements were dropped. */
const textOf = (dropped: string[]) =>
  adviceOf([versionWith('7', dropped)], { bodies: 'mirror', sanitize: true })[0]?.text;

test('dropped HTML is reported with the option that keeps it', () => {
  expect(textOf(['iframe www.youtube.com'])).toBe(
    'HTML that is not allowed was dropped (iframe www.youtube.com) from article 7. ' +
      "`sanitize: { iframes: ['www.youtube.com'] }` keeps frames.",
  );
  expect(textOf(['onclick', '<form>'])).toContain('`sanitize: { tags }` keeps elements');
  expect(textOf(['onclick'])).not.toContain('sanitize');
  expect(textOf(['hreflang on p', 'border on table', 'ref on p'])).toBe(
    'HTML that is not allowed was dropped (border on table, hreflang on p, ref on p) from article 7. ' +
      "`sanitize: { attributes: { 'table': ['border'], 'p': ['hreflang', 'ref'] } }` keeps attributes.",
  );
  expect(textOf(["iframe a'+process.exit(1)+'"])).toContain(
    '`sanitize: { iframes: ["a\'+process.exit(1)+\'"] }` keeps frames.',
  );
  expect(textOf(['iframe on p'])).not.toContain('iframes');
  expect(textOf(['alt with a tag in it'])).toContain(
    "`sanitize: { attributes: { '*': ['alt', 'title'] } }` keeps them.",
  );
  expect(textOf([])).toBeUndefined();
});

test('no option is advised for attributes that scripts read or that disable links', () => {
  const dropped = [
    'name on a',
    'inert on p',
    'data-x on a',
    'data-foo-bar on p',
    'onclick',
    'iframe',
  ];
  expect(textOf(dropped)).toBe(
    'HTML that is not allowed was dropped (iframe, inert on p, name on a, onclick, data-foo-bar on p, data-x on a) ' +
      'from article 7.',
  );
  expect(textOf([...dropped, 'border on table'])).toContain(
    "`sanitize: { attributes: { 'table': ['border'] } }` keeps attributes.",
  );
});

test('what a reader of the article misses most is named first, in the same order in each load', () => {
  const dropped = [
    ...[
      'data-x on p',
      'bgcolor on table',
      'style',
      'href on p',
      'src on p',
      '<form>',
      'iframe a.example',
    ],
    ...['srcset on p', 'iframe', 'data-a on p', 'style on x-y'],
  ];
  const order =
    '(iframe, iframe a.example, <form>, src on p, href on p, style, style on x-y, bgcolor on table, srcset on p, ' +
    'data-a on p, data-x on p)';
  expect(textOf(dropped)).toContain(order);
  expect(textOf(dropped.toReversed())).toContain(order);
});

test('the code of an option can be copied, however much was dropped', () => {
  const hosts = Array.from({ length: 30 }, (_, at) => `v${at}.example`);
  const rows = Array.from({ length: 120 }, (_, at) => `x${at} on td`);
  const text = textOf([...rows, ...hosts.map((host) => `iframe ${host}`)]) ?? '';
  const [, code] = /`sanitize: (.*?)`/.exec(text) ?? [];
  const { iframes, attributes } = new Function(`return ${code}`)();
  expect(iframes.toSorted()).toEqual(hosts.toSorted());
  expect(attributes.td).toHaveLength(20);
  expect(text).toContain('keeps frames and attributes, and 100 more can be listed there.');
});

test('the code of an option keeps what the site allows already', () => {
  const adviceFor = (sanitize: Parameters<typeof adviceOf>[1]['sanitize'], dropped: string[]) => {
    const text = adviceOf([versionWith('7', dropped)], { bodies: 'mirror', sanitize })[0]?.text;
    const [, code] = /`sanitize: (\{ .*?)`/.exec(text ?? '') ?? [];
    return code && new Function(`return ${code}`)();
  };
  const allowed = { iframes: ['a.example'], tags: ['x-y'], attributes: { td: ['x'], '*': ['y'] } };
  expect(adviceFor(allowed, ['iframe b.example', 'z on td', 'z on p'])).toEqual({
    iframes: ['a.example', 'b.example'],
    tags: ['x-y'],
    attributes: { td: ['x', 'z'], '*': ['y'], p: ['z'] },
  });
  expect(adviceFor(allowed, ['iframe b.example'])).toEqual({
    ...allowed,
    iframes: ['a.example', 'b.example'],
  });
  expect(adviceFor(allowed, ['alt with a tag in it'])).toEqual({
    ...allowed,
    attributes: { td: ['x'], '*': ['y', 'alt', 'title'] },
  });
  const withTitle = { attributes: { '*': ['title'] } };
  expect(adviceFor(withTitle, ['alt with a tag in it'])).toEqual({
    attributes: { '*': ['title', 'alt'] },
  });
  expect(adviceFor(allowed, ['style'])).toBeUndefined();
  // An object would allow more than the strict list.
  expect(adviceFor('strict', ['iframe b.example', '<form>'])).toBeUndefined();
});

test('elements that no option keeps have no advice', () => {
  expect(textOf(['<script>', '<object>'])).not.toContain('sanitize');
  expect(textOf(['<script>', '<form>'])).toContain('`sanitize: { tags }`');
});

test.each([
  [{ '*': ['title'] }, undefined],
  [{ img: ['name'] }, '`name`, by which an article can replace what scripts of the site read'],
  [{ a: ['title', 'id'] }, '`id`, which has no effect'],
])('warns of attributes in `sanitize.attributes` that reach scripts: %j', (attributes, text) => {
  const options = { bodies: 'mirror', sanitize: { attributes } } as const;
  expect(adviceOf([], options)[0]?.text).toEqual(text && expect.stringContaining(text));
});

test('warns of a collection near the limit of Astro’s store, unless its texts are in the mirror', () => {
  const versions = Array.from({ length: 10_000 }, (_, id) => versionWith(String(id), []));
  expect(adviceOf(versions, { bodies: 'mirror', sanitize: true })).toEqual([]);
  const [notice] = adviceOf(versions, { bodies: 'store', sanitize: true });
  expect(notice?.text).toContain("Set `bodies: 'mirror'`");
  expect(adviceOf(versions.slice(1), { bodies: 'store', sanitize: true })).toEqual([]);
});
