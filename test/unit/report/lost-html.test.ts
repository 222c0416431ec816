import { expect, test } from 'vitest';
import { describeLost } from '../../../src/report/lost-html.ts';
import type { DroppedHtml } from '../../../src/shared/dropped-html.ts';
import { attribute, element, frame, versionWith } from '../../helpers/rendered-version.ts';

/** What is said of articles of which these parts were removed. */
function textOf(articles: Record<string, DroppedHtml[]>, isVerbose = false): string {
  const versions = Object.entries(articles).map(([id, dropped]) => versionWith(id, dropped));
  return describeLost(versions, isVerbose);
}

test.each<[DroppedHtml, string]>([
  [frame('www.youtube.com'), '<iframe> of www.youtube.com'],
  [frame('a b"c'), '<iframe> of "a b\\"c"'],
  [frame(), '<iframe>'],
  [element('form'), '<form>'],
  [{ kind: 'stray item', name: 'li' }, '<li> outside of a list'],
  [{ kind: 'drawing', name: 'script' }, '<script> in a drawing or formula'],
  [attribute('border', 'table'), 'border on <table>'],
  [attribute('xlink:href', 'use'), 'xlink:href on <use>'],
  [attribute('it.', 'p'), '"it." on <p>'],
  [attribute('run,', 'p'), '"run," on <p>'],
  [attribute('\u202ex', 'p'), '"\\u{202e}x" on <p>'],
  [{ kind: 'value', name: 'style', on: 'p' }, 'style on <p> (a part of its value)'],
  [{ kind: 'text with a tag', name: 'alt', on: 'img' }, 'alt on <img> with a tag in it'],
  [{ kind: 'url', name: 'href', on: 'a', scheme: 'file' }, 'href on <a> with file:'],
  [{ kind: 'id', name: 'id', on: 'span' }, 'id on <span>'],
  [{ kind: 'others', name: '' }, 'more kinds of parts than are named'],
])('%j is said in words, and a name that may be a sentence in quotes', (part, words) => {
  expect(textOf({ 7: [part] })).toBe(`${words} in article "7"`);
});

test('each part is named once, with its articles, and what readers miss most first', () => {
  const articles = {
    7: [attribute('border', 'td'), frame('b.example'), frame('a.example'), element('form')],
    8: [attribute('border', 'td'), element('form'), frame('b.example')],
    9: [element('form'), { kind: 'others' as const, name: '' }],
  };
  const text =
    '<iframe> of b.example in articles "7", "8"; <iframe> of a.example in article "7"; <form> in articles "7", "8", "9"; ' +
    'border on <td> in articles "7", "8"; more kinds of parts than are named in article "9"';
  expect(textOf(articles)).toBe(text);
});

test('an article has lost only what its newest rendering lacks', () => {
  const { article } = versionWith('7', []);
  const renderings = [versionWith('7', []), versionWith('7', [frame()])].flatMap(
    (version) => version.article.renderings,
  );
  const rendered = { article: { ...article, renderings }, transformed: article };
  expect(describeLost([rendered], false)).toBe('');
  const unrendered = { article: { ...article, renderings: [] }, transformed: article };
  expect(describeLost([unrendered], false)).toBe('');
});

test('the first twenty parts are named of thousands, and all with ARTICLES_DEBUG', () => {
  const articles = Object.fromEntries(
    Array.from({ length: 5_000 }, (_, at) => [`id-${at}`, [element(`x-${at}`), element('b')]]),
  );
  const short = textOf(articles);
  expect(short).toContain(' and 4995 more; <x-0> in article "id-0";');
  expect(short).toMatch(/; 4981 more, which a load with ARTICLES_DEBUG=1 names$/);
  expect(short.length).toBeLessThan(1_000);
  const all = textOf(articles, true);
  expect(all.match(/<x-\d+> in article "id-\d+"/g)).toHaveLength(5_000);
  expect(all).toContain('"id-4999";');
});
