import * as fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { Fate } from '../../../src/load/fate.ts';
import type { IndexedArticle } from '../../../src/mirror/formats.ts';
import { adviceOf } from '../../../src/report/advice.ts';
import { countChanges } from '../../../src/report/changes.ts';
import {
  createProgressLog,
  reportToGithub,
  summarise,
  textsOf,
} from '../../../src/report/load-report.ts';

const ids = Array.from({ length: 5_000 }, (_, at) => `id-${at}`);

const article = (id: string, more: Partial<IndexedArticle> = {}): IndexedArticle => ({
  ...{ id, title: 't', record: 'r', cover: null, hasContent: true, slug: id },
  ...{ renderings: [], ...more },
});

/** An article from whose HTML these elements were dropped. */
function versionWith(id: string, dropped: string[]) {
  const version = article(id, { renderings: [{ name: 'k-h', images: [], dropped }] });
  return { article: version, transformed: version };
}

test('reports thousands of articles, or of names of dropped elements, in one short line', () => {
  const texts = textsOf(ids.map((id) => ({ kind: 'article', ids: [id], text: 'no' })));
  expect(texts).toHaveLength(1);
  expect(texts[0]?.length).toBeLessThan(1_000);
  const versions = ids.map((id) => versionWith(id, [`x-${id}`]));
  const [notice] = adviceOf(versions, { bodies: 'mirror', sanitize: true });
  expect(notice?.text.length).toBeLessThan(1_000);
  expect(notice?.text).toContain('and 4980 more) from articles id-0');
  expect(notice?.ids).toHaveLength(5_000);
});

test('each notice is in a line with its own field and text, and equal ones are one line', () => {
  const notice = fc.record({
    kind: fc.constantFrom('article' as const, 'field' as const),
    ids: fc.constantFrom('one', 'two', 'three').map((id) => [id]),
    field: fc.constantFrom(undefined, 'title', 'cover_image'),
    text: fc.constantFrom('expected text', 'is too long'),
  });
  fc.assert(
    fc.property(fc.array(notice, { maxLength: 6 }), (notices) => {
      const lines = textsOf(
        notices.map(({ field, ...rest }) => ({ ...rest, ...(field && { field }) })),
      );
      const different = notices.map(({ kind, field, text }) => JSON.stringify([kind, field, text]));
      expect(lines).toHaveLength(new Set(different).size);
      for (const { kind, ids, field, text } of notices) {
        const own = lines.filter(
          (line) => line.includes(`${text}.`) && line.includes(`"${ids[0]}"`),
        );
        const isOwn = (line: string) =>
          /field (\w+):/.exec(line)?.[1] === field &&
          line.includes('good version') === (kind === 'article');
        expect(own.some(isOwn), lines.join('\n')).toBe(true);
      }
    }),
  );
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

test('changes are those of the articles that the site shows, and others are named by reason', () => {
  const leftOut = (why: 'draft' | 'transform' | 'schema'): Fate => ({ is: 'left out', why });
  const shown: Fate = { is: 'shown' };
  const fates = new Map<string, Fate>([
    ['new', shown],
    ['new draft', leftOut('draft')],
    ['same draft', leftOut('draft')],
    ['published', shown],
    ['withdrawn', leftOut('draft')],
    ['same', shown],
    ['edited', shown],
    ['unlisted', { is: 'shown', why: 'not listed' }],
    ['hidden by transform', leftOut('transform')],
    ['gone', { is: 'gone' }],
    ['gone, but never shown', { is: 'gone' }],
    ['older', { is: 'older' }],
  ]);
  const transformed = (id: string) => article(id, id === 'published' ? { title: ' ' } : {});
  const versions = new Map(
    [...fates.keys()].map((id) => [id, { article: article(id), transformed: transformed(id) }]),
  );
  const before = [
    ...[article('same draft', { slug: undefined }), article('published', { slug: undefined })],
    ...['withdrawn', 'same', 'unlisted', 'hidden by transform', 'gone', 'older'].map((id) =>
      article(id),
    ),
    ...[article('edited', { record: 'e' }), article('gone, but never shown', { slug: undefined })],
  ];
  const known = new Map(before.map((each) => [each.id, each]));
  const changes = countChanges(fates, versions as never, { before: known });
  expect(changes).toEqual({
    ...{ shown: 5, added: 2, updated: 1, unchanged: 2, older: 1 },
    drafts: ['published'],
    removed: ['withdrawn', 'hidden by transform', 'gone'],
    leftOut: {
      draft: ['new draft', 'same draft', 'withdrawn'],
      transform: ['hidden by transform'],
    },
  });
  expect(summarise({ changes, duration: 1_240 })).toBe(
    '5 articles shown, 1 as drafts ("published"), 3 left out as drafts ("new draft", "same draft", "withdrawn"), ' +
      '1 left out by `transform` ("hidden by transform"): ' +
      '2 added, 1 updated, 2 unchanged, 3 removed ("withdrawn", "hidden by transform", "gone"), 1 no longer among the newest; 0 requests, 1.2 s',
  );
});

test('the summary names three ids of each reason, however many there are', () => {
  const none = {
    ...{ shown: 0, added: 0, updated: 0, unchanged: 0, older: 0 },
    ...{ drafts: [], removed: [] },
  };
  expect(summarise({ changes: { ...none, leftOut: { draft: ids } }, duration: 0 })).toContain(
    '5000 left out as drafts ("id-0", "id-1", "id-2" and 4997 more)',
  );
});

test('GitHub gets one annotation with a part of thousands of notices, or with the failure', () => {
  const notices = ids.map((id, at) => ({
    kind: 'article' as const,
    ids: [id],
    text: `${at} ${'x'.repeat(500)}`,
  }));
  notices.unshift({ kind: 'article', ids: ['1\n::error::x'], text: '\n::error::x' });
  const loaded = { collection: 'articles', status: 'synced' as const, duration: 1, notices };
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const env = { GITHUB_ACTIONS: 'true' };
  reportToGithub(loaded, {});
  reportToGithub({ ...loaded, notices: [] }, env);
  const silent = write.mock.calls.length === 0;
  reportToGithub(loaded, env);
  reportToGithub({ ...loaded, status: 'failed', error: '100 %\nfailed' }, env);
  const [[warning = ''] = [], [failure] = []] = write.mock.calls.map(([text]) => [String(text)]);
  write.mockRestore();
  expect(silent).toBe(true);
  expect(warning).toMatch(
    /^::warning title=Collection "articles"%3A warnings::.*… and 4951 more\.\n$/,
  );
  expect(warning.length).toBeLessThan(100_000);
  expect(failure).toBe('::error title=Collection "articles"%3A not loaded::100 %25%0Afailed\n');
});

test('progress is logged every five seconds', () => {
  const lines: string[] = [];
  let now = 0;
  const push = (line: string) => void lines.push(line);
  const log = createProgressLog(push, () => now);
  for (let fetched = 0; fetched < 120; fetched++) {
    now = fetched * 100;
    log({ listed: 1000, toFetch: 1000, fetched });
  }
  expect(lines).toEqual(['50/1000 articles fetched (5 %)', '100/1000 articles fetched (10 %)']);
});
