import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { parseFragment } from 'parse5';
import { expect, test } from 'vitest';
import { toFeedHtml } from '../../../src/feed/feed-html.ts';
import { runs } from '../../helpers/runs.ts';
import { soup } from '../../helpers/soup.ts';
import { finish } from './finish.ts';

// The documented lists are the oracle: nothing of the sanitizer is used to judge its result.

const page = readFileSync(new URL('../../../docs/security.md', import.meta.url), 'utf8');
const [, block = ''] = /```text\n(.*?)```/s.exec(page) ?? [];
const lists = new Map<string, Set<string>>();
for (const line of block.replaceAll('\n  ', ' ').trim().split('\n')) {
  const [keys = '', words = ''] = line.split(': ');
  for (const key of keys.split(', ')) lists.set(key, new Set(words.split(' ')));
}
const [, properties = ''] = /^The properties of inline styles: (.*)$/m.exec(page) ?? [];
const [families = '', , single = ''] = properties.split(';');
const named = (text: string) => [...text.matchAll(/`([a-z-]+)`/g)].map(([, name = '']) => name);
const declared = new RegExp(
  `^(?:--.*|(?:${named(families).join('|')})(?:-.*)?|(?:align|justify|place)-(?:content|items|self)|(?:-webkit-)?(?:${named(single).join('|')}))$`,
);

interface Node {
  tagName?: string;
  namespaceURI?: string;
  attrs?: { name: string; value: string; prefix?: string }[];
  childNodes?: Node[];
}

/** The attributes of libraries that the documentation names. */
const acting =
  /^data-(?:astro|turbo|controller|method|bs|on|hx|script|init|effect|bind|signals|action|x|v)(?:-|$)(?!$)|^data-(?:controller|method|script|init|effect|bind|signals|action)$/;

/** Returns what a tree contains that is not in the lists. In the text of a formula, a parser makes HTML of MathML. */
function violationsOf(node: Node, ids: Set<string>, found: string[] = [], around?: string) {
  for (const child of node.childNodes ?? []) {
    const { tagName: tag, namespaceURI = '', attrs = [] } = child;
    const [name] = /svg|Math/.exec(namespaceURI) ?? [];
    const kind = name?.replace('svg', 'SVG').replace('Math', 'MathML') ?? around;
    if (tag) {
      const isKept = lists.get(kind ? `${kind} elements` : 'elements')?.has(tag.toLowerCase());
      if (!isKept && !(tag.includes('-') && !kind)) found.push(`<${tag}>`);
      const own = lists.get(kind ? `${kind} attributes` : tag);
      for (const { name: given, value } of attrs) {
        const name = given.toLowerCase();
        const isOpen = /^(?:aria|data)-[a-z0-9-]+$/.test(name) && !acting.test(name);
        if (!isOpen && !lists.get('every element')?.has(name) && !own?.has(name)) {
          found.push(`<${tag} ${name}>`);
        }
        if (
          name === 'id' &&
          !/^h[1-6]$/.test(tag) &&
          !value.startsWith('user-content-') &&
          !ids.has(value)
        ) {
          found.push(`<${tag} id=${value}>`);
        }
        if (name === 'style') found.push(...styleViolations(value));
        if (
          /^(?:href|src|poster|cite)$/.test(name) &&
          /^[\s\p{Cc}]*(?!https?:|mailto:|tel:|data:image\/)[a-z]+:/iu.test(value)
        ) {
          found.push(`${name}=${value}`);
        }
      }
    }
    violationsOf(child, ids, found, kind === 'MathML' ? kind : undefined);
  }
  return found;
}

function styleViolations(style: string): string[] {
  return style.split(';').flatMap((declaration) => {
    const [property = '', ...rest] = declaration.trim().toLowerCase().split(':');
    if (property === '') return [];
    const value = rest.join(':').replace(/"[^"]*"|'[^']*'/g, '');
    const isSafe =
      declared.test(property.trim()) &&
      !/url|image-set|element\s*\(|[\\@{}<>]|\/\*/.test(value) &&
      (property.trim() !== 'position' ||
        /^\s*(?:static|relative)\s*(?:!\s*important)?\s*$/.test(value));
    return isSafe ? [] : [`style: ${declaration}`];
  });
}

/** The ids that a text of HTML refers to. */
function referencesIn(html: string): Set<string> {
  const found = new Set<string>();
  const visit = ({ attrs = [], childNodes = [] }: Node) => {
    for (const { name, value } of attrs) {
      if (name === 'id') continue;
      for (const word of value.split(/[\s()'"]+/)) found.add(word.replace(/^#/, ''));
    }
    childNodes.forEach(visit);
  };
  visit(parseFragment(html) as Node);
  return found;
}

const check = (html: string): string[] =>
  violationsOf(parseFragment(html) as Node, referencesIn(html));

test('random HTML leaves only what the documented lists name', async () => {
  let elements = 0;
  let attributes = 0;
  await fc.assert(
    fc.asyncProperty(soup, async (article) => {
      for (const sanitize of [true, 'strict'] as const) {
        const { html } = await finish(article, { sanitize });
        expect(check(html)).toEqual([]);
        elements += html.split('<').length - 1;
        attributes += html.split('="').length - 1;
      }
      const feed = check(toFeedHtml(article, new URL('https://site.example/a/')));
      // A feed is made of HTML in which the hosts of frames were checked.
      expect(feed.filter((violation) => violation !== '<iframe>')).toEqual([]);
    }),
    { ...runs(2000), examples: [['<math><mtext><mtable>']] },
  );
  expect(elements).toBeGreaterThan(500);
  expect(attributes).toBeGreaterThan(100);
});

test.each([
  '<p onclick="x">',
  '<p _="x">',
  '<permission></permission>',
  '<p data-turbo-method="delete">',
  '<div data-astro-transition-persist="a">',
  '<p data-controller="a">',
  '<p id="site-config">',
  '<p style="position:fixed">',
  '<p style="aspect-ratio:1/1000">',
  '<p style="background:url(a)">',
  '<svg><use href="#a"></use></svg>',
  '<svg><path onload="x"></path></svg>',
  '<math><mi xlink:href="javascript:x">x</mi></math>',
  '<img hspace="3000">',
  '<table border="3000"></table>',
  '<a href="javascript:x">x</a>',
])('the lists do not name what %s has, and it is removed', async (html) => {
  expect(check(html)).not.toEqual([]);
  expect(check((await finish(html)).html)).toEqual([]);
});
