import { expect, test } from 'vitest';
import { describeDropped } from '../../../src/report/dropped-notice.ts';
import type { DroppedHtml } from '../../../src/shared/dropped-html.ts';
import { attribute, element, frame, versionWith } from '../../helpers/rendered-version.ts';

/** What is said of articles of which these parts were dropped, without advice. */
function textOf(articles: Record<string, DroppedHtml[]>, isVerbose = false): string | undefined {
  const versions = Object.entries(articles).map(([id, dropped]) => versionWith(id, dropped));
  return describeDropped(versions, { sanitize: 'strict', isVerbose })?.text;
}

test.each<[DroppedHtml, string]>([
  [frame('www.youtube.com'), 'iframe www.youtube.com'],
  [frame(), 'iframe'],
  [element('form'), '<form>'],
  [{ kind: 'stray item', name: 'li' }, '<li> outside of a list'],
  [{ kind: 'drawing', name: 'script' }, '<script> in a drawing or formula'],
  [attribute('border', 'table'), 'border on table'],
  [{ kind: 'value', name: 'style', on: 'p' }, 'values of style on p'],
  [{ kind: 'text with a tag', name: 'alt', on: 'img' }, 'alt with a tag in it on img'],
  [{ kind: 'url', name: 'href', on: 'a', scheme: 'file' }, 'href with file: on a'],
  [{ kind: 'url', name: 'href', on: 'a' }, 'relative href on a'],
  [{ kind: 'id', name: 'id', on: 'span' }, 'id on span'],
  [{ kind: 'others', name: '' }, 'more kinds of parts than are named'],
])('%j is said in words', (part, words) => {
  expect(textOf({ 7: [part] })).toBe(
    `HTML that is not allowed was dropped from article "7": ${words}.`,
  );
});

test('an article of which nothing was dropped has no notice', () => {
  expect(textOf({ 7: [] })).toBeUndefined();
});

test('each part is named once, and how many articles have it', () => {
  const articles = {
    7: [attribute('border', 'td'), frame(), { ...frame(), on: 'p' }, element('form')],
    8: [attribute('border', 'td'), element('form')],
    9: [element('form')],
  };
  expect(textOf(articles)).toBe(
    'HTML that is not allowed was dropped from 3 articles: iframe (in "7"); <form> (in 3 articles, such as "7"); ' +
      'border on td (in 2 articles, such as "7").',
  );
  expect(textOf({ ...articles, 1: [frame('a.example')] })).toContain('iframe a.example (in "1");');
  expect(textOf(articles, true)).toContain(
    '<form> (in "7", "8", "9"); border on td (in "7", "8").',
  );
});

test('what a reader of the article misses most is named first, then what most articles have', () => {
  const parts: DroppedHtml[] = [
    { kind: 'others', name: '' },
    attribute('bgcolor', 'table'),
    { kind: 'value', name: 'style', on: 'p' },
    { kind: 'url', name: 'src', on: 'img', scheme: 'file' },
    element('form'),
    element('dialog'),
    frame('b.example'),
    frame('a.example'),
  ];
  const order =
    'iframe b.example (in 2 articles, such as "7"); iframe a.example (in "7"); <dialog> (in "7"); <form> (in "7"); ' +
    'src with file: on img (in "7"); values of style on p (in "7"); ' +
    'bgcolor on table (in "7"); more kinds of parts than are named (in "7").';
  expect(textOf({ 7: parts, 8: [frame('b.example')] })).toContain(order);
  expect(textOf({ 7: parts.toReversed(), 8: [frame('b.example')] })).toContain(order);
});

test('an article has lost only what its newest rendering lacks', () => {
  const { article } = versionWith('7', []);
  const renderings = [versionWith('7', []), versionWith('7', [frame()])].flatMap(
    (version) => version.article.renderings,
  );
  const version = { article: { ...article, renderings }, transformed: article };
  expect(describeDropped([version], { sanitize: true, isVerbose: false })).toBeUndefined();
});

test('an article without its rendering has lost nothing', () => {
  const version = versionWith('7', []);
  const unrendered = { ...version, article: { ...version.article, renderings: [] } };
  expect(describeDropped([unrendered], { sanitize: true, isVerbose: false })).toBeUndefined();
});

test('the first twenty parts are named of thousands, and all with ARTICLES_DEBUG', () => {
  const articles = Object.fromEntries(
    Array.from({ length: 5_000 }, (_, at) => [`id-${at}`, [element(`x-${at}`)]]),
  );
  const short = textOf({ ...articles, a: [frame('a.example')] }) ?? '';
  expect(short).toContain('from 5001 articles: iframe a.example (in "a"); <x-0> (in "id-0");');
  expect(short).toMatch(/; and 4981 more, which a load with ARTICLES_DEBUG=1 names\.$/);
  expect(short.length).toBeLessThan(1_000);
  const all = textOf(articles, true) ?? '';
  expect(all.match(/<x-\d+> \(in "id-\d+"\)/g)).toHaveLength(5_000);
});

test('the option is that for the parts that are named', () => {
  const versions = [
    versionWith(
      '7',
      Array.from({ length: 30 }, (_, at) => element(`x-${at}`)),
    ),
  ];
  const tagsIn = (isVerbose: boolean) =>
    /tags: \[.*?\]/.exec(describeDropped(versions, { sanitize: true, isVerbose })?.text ?? '')?.[0];
  expect(tagsIn(false)?.match(/x-/g)).toHaveLength(20);
  expect(tagsIn(true)?.match(/x-/g)).toHaveLength(30);
});
