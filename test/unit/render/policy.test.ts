import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5';
import { expect, test } from 'vitest';
import { toFeedHtml } from '../../../src/feed/feed-html.ts';
import { createSiteRenderer } from '../../../src/render/render-article.ts';
import { isRefusedAttribute } from '../../../src/shared/refused-names.ts';
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

type Element = DefaultTreeAdapterTypes.Element;

interface Node {
  tagName?: string;
  namespaceURI?: string;
  attrs?: { name: string; value: string; prefix?: string }[];
  childNodes?: Node[];
}

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
        const isAria = /^aria-[a-z0-9-]+$/.test(name);
        if (!isAria && !lists.get('every element')?.has(name) && !own?.has(name)) {
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
          name === 'rel' &&
          (value.match(/\S+/g) ?? []).some((word) => !lists.get('rel')?.has(word.toLowerCase()))
        ) {
          found.push(`rel=${value}`);
        }
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

const word = fc.constantFrom(
  ...'action animation-path caption code columns controller dependencies foo language lightbox method'.split(
    ' ',
  ),
  ...'options src sub-html title tooltip turbo x-value'.split(' '),
);
const attributeName = fc.oneof(
  { weight: 3, arbitrary: word.map((name) => `data-${name}`) },
  { weight: 1, arbitrary: fc.stringMatching(/^[a-z_:@][a-z0-9_:.@-]{0,12}$/) },
  { weight: 1, arbitrary: fc.constantFrom('rel', 'title', 'class', 'hidden', 'onclick', 'x-data') },
);
const written = fc.record({
  tag: fc.constantFrom('p', 'a', 'div', 'pre', 'my-chart', 'button'),
  name: attributeName,
  value: fc.constantFrom<string>('a', 'b', ''),
  /** Whether the processor writes it, too, or the site lists it. */
  by: fc.constantFrom('article', 'processor', 'processor, with another value', 'list'),
});
type Written = typeof written extends fc.Arbitrary<infer T> ? T : never;

const htmlOf = (all: readonly Written[]) =>
  all.map(({ tag, name, value }) => `<${tag} ${name}="${value}"></${tag}>`).join('');

test('of random attributes only those come out that are documented, listed, or written by the processor', async () => {
  const kept = { documented: 0, listed: 0, 'of the processor': 0, 'by its value': 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(written, { maxLength: 12 }), fc.boolean(), async (all, isStrict) => {
      const own = all
        .filter(({ by }) => by.startsWith('processor'))
        .map((each) => (each.by === 'processor' ? each : { ...each, value: 'c' }));
      // The option refuses the others.
      const listed = all.filter(({ by, name }) => by === 'list' && !isRefusedAttribute(name));
      const attributes: Record<string, string[]> = {};
      for (const { tag, name } of listed) attributes[tag] = [...(attributes[tag] ?? []), name];
      const render = async (text: string) => ({ html: text.includes('##') ? htmlOf(own) : text });
      const { html, dropped } = await createSiteRenderer(render)(
        { id: '1', title: 'T', content: htmlOf(all) },
        {
          base: new URL('https://app.example.com/'),
          sanitize: isStrict ? 'strict' : { attributes },
        },
      );

      for (const element of parseFragment(html.join('')).childNodes) {
        const { tagName: tag, attrs } = element as Element;
        for (const { name, value } of attrs) {
          const isIn = (some: readonly Written[]) =>
            some.some((each) => each.tag === tag && each.name === name);
          const isSame = isIn(own.filter((each) => each.value === value));
          const isData = name.startsWith('data-');
          if (isRefusedAttribute(name)) {
            expect(isSame && isData, name).toBe(true);
            kept['by its value']++;
          } else if (isSame || (isData && isIn(own))) kept['of the processor']++;
          else if (!isStrict && isIn(listed)) kept.listed++;
          else {
            expect(check(`<${tag} ${name}="${value}"></${tag}>`)).toEqual([]);
            kept.documented++;
          }
        }
      }
      // What the site may list is named with its element.
      for (const [, name = ''] of dropped.join('\n').matchAll(/^(\S+) on /gm)) {
        expect(isRefusedAttribute(name) || isStrict, name).toBe(false);
      }
    }),
    runs(1000),
  );
  for (const [kind, count] of Object.entries(kept)) expect(count, kind).toBeGreaterThan(50);
});

test.each([
  '<p onclick="x">',
  '<p data-foo="x">',
  '<a rel="lightbox">',
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
