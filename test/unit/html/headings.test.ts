import { describe, expect, it } from 'vitest';
import { headingsOf, listHeadings, removeTitle } from '../../../src/html/headings.ts';
import { outerHtml, parseHtml } from '../../../src/html/parse-html.ts';

describe('the heading with which a text begins', () => {
  /** Returns the text without it, and its id. */
  function without(html: string, title: string) {
    const tree = parseHtml(html);
    const id = removeTitle(tree, title);
    return [tree.childNodes.map((node) => outerHtml(node as never)).join(''), id];
  }

  it.each([
    ['<h1>Tides</h1>', 'Tides'],
    ['<h3>The “tides” — <em>of</em> May!</h3>', 'the "Tides" - of May'],
    ['<h1>Tides <a href="#tides">#</a></h1>', 'Tides'],
    ['<div><h2>Tides</h2></div>', 'Tides'],
    ['<div><h2>Tides</h2><a href="#tides">Link</a></div>', 'Tides'],
    ['<h1>C++</h1>', 'C++'],
    ['<h1>The ﬁrst ２</h1>', 'The first 2'],
    [`<h1>${'a'.repeat(1000)}</h1>`, 'a'.repeat(1000)],
  ])('is removed if it repeats the title: %s', (html, title) => {
    expect(without(`\n<!-- a --><style></style>${html}<p>Text</p>`, title)[0]).not.toContain('<h');
  });

  it.each([
    ['<h1>Tides</h1>', 'Winds'],
    ['<h1>C++</h1>', 'C'],
    ['<h1>Top 10</h1>', 'Top 11'],
    ['<h1>a ©</h1>', 'a'],
    ['<h1>5 €</h1>', '5'],
    ['<h1>कि</h1>', 'क'],
    ['<h1>…</h1>', '—'],
    ['<p>Text</p><h1>Tides</h1>', 'Tides'],
    ['Text<h1>Tides</h1>', 'Tides'],
    ...['svg', 'video', 'audio', 'iframe', 'object'].map((tag) => [
      `<h1>Tides<${tag}></${tag}></h1>`,
      'Tides',
    ]),
    ...['img', 'embed'].map((tag) => [`<h1>Tides<i><${tag} src="a"></i></h1>`, 'Tides']),
    ['<h1><a href="/tides">Tides</a></h1>', 'Tides'],
    ['<section><h1>Tides</h1></section>', 'Tides'],
    ['<div><h1>Tides</h1><p>Text</p></div>', 'Tides'],
    ['<div><h1>Tides</h1><a>a</a><a>b</a></div>', 'Tides'],
    [`<h1>${'a'.repeat(1001)}</h1>`, 'a'.repeat(1001)],
    ['<h7>Tides</h7>', 'Tides'],
  ])('is kept otherwise: %s with the title %s', (html, title) => {
    expect(without(html, title)).toEqual([html, undefined]);
  });

  it('returns its id', () => expect(without('<h1 id="a">A</h1>', 'A')).toEqual(['', 'a']));
});

it('lists headings with their ids, and gives the others the ids of Astro', () => {
  const tree = parseHtml(
    '<h1>A</h1><div><h6 id="x">B</h6></div><h2>A</h2><header>C</header><h10>D</h10><x-h1>E</x-h1>',
  );
  const headings = headingsOf(tree);
  expect(listHeadings(headings)).toEqual([
    { depth: 1, slug: 'a', text: 'A' },
    { depth: 6, slug: 'x', text: 'B' },
    { depth: 2, slug: 'a-1', text: 'A' },
  ]);
  expect(headings.map(({ attrs }) => attrs[0]?.value)).toEqual(['a', 'x', 'a-1']);
});

it('lists the first 1,000 characters of a heading', () => {
  const [heading] = listHeadings(headingsOf(parseHtml(`<h1>${'a'.repeat(1001)}</h1>`)));
  expect(heading).toEqual({ depth: 1, slug: 'a'.repeat(1000), text: 'a'.repeat(1000) });
});
