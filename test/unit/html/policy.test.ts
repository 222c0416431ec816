import * as fc from 'fast-check';
import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5';
import { expect, test } from 'vitest';
import { toFeedHtml } from '../../../src/feed/feed-html.ts';
import { createSiteRenderer } from '../../../src/render/render-article.ts';
import { isRefusedAttribute } from '../../../src/shared/refused-names.ts';
import { type TreeNode, violationsOf } from '../../helpers/documented-lists.ts';
import { finish } from '../../helpers/finish.ts';
import { runs } from '../../helpers/runs.ts';
import { soup } from '../../helpers/soup.ts';

type Element = DefaultTreeAdapterTypes.Element;

const check = (html: string) => violationsOf(parseFragment(html) as TreeNode);

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
      // In a feed, a reference within the article has the URL of its page.
      const page = 'https://site.example/a/';
      const feed = check(toFeedHtml(article, new URL(page)).replaceAll(`"${page}#`, '"#'));
      // A feed is made of HTML in which the hosts of frames were checked.
      expect(feed.filter((violation) => violation !== '<iframe>')).toEqual([]);
    }),
    { ...runs(800), examples: [['<math><mtext><mtable>'], ['<svg href=#a><a>']] },
  );
  expect(elements).toBeGreaterThan(500);
  expect(attributes).toBeGreaterThan(100);
});

const words =
  'action animation-path caption code columns controller dependencies foo language lightbox method options src ' +
  'sub-html title tooltip turbo x-value';
const word = fc.constantFrom(...words.split(' '));
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

test('keeps only random attributes that are documented, listed, or written by the processor', async () => {
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
      for (const { kind, name, on } of dropped)
        expect(kind === 'element' || on !== undefined, name).toBe(true);
    }),
    runs(500),
  );
  for (const [kind, count] of Object.entries(kept)) expect(count, kind).toBeGreaterThan(15);
});

test.each([
  '<a rel="me lightbox">',
  '<p _="x">',
  '<permission></permission>',
  '<p data-turbo-method="delete">',
  '<div data-astro-transition-persist="a">',
  '<p data-controller="a">',
  '<p id="site-config">',
  '<a href="#a">x</a><q id="a" cite="https://away.example/"></q>',
  '<h2 id="a" cite="https://away.example/">x</h2>',
  '<a href="#a">x</a><img id="a" src="https://away.example/x.png">',
  '<p style="position:fixed">',
  '<p style="columns:1000">',
  '<p style="background:url(a)">',
  '<p style="display:grid;grid:repeat(9999999,[a] 1px)/1px">',
  '<svg><use href="#a"></use></svg>',
  '<svg><path onload="x"></path></svg>',
  '<svg><a href="https://a.example/"></a></svg>',
  '<svg><foreignObject><p>x</p></foreignObject></svg>',
  '<svg><desc><p>x</p></desc></svg>',
  '<math><mi xlink:href="javascript:x">x</mi></math>',
  '<img hspace="3000">',
  '<img src="data:image/svg+xml,x">',
  '<table border="3000"></table>',
  '<a href="java&#9;script:x">x</a>',
  '<iframe></iframe>',
])('the lists do not name what %s has, and it is removed', async (html) => {
  expect(check(html)).not.toEqual([]);
  expect(check((await finish(html)).html)).toEqual([]);
});

const strict = async (html: string) => (await finish(html, { sanitize: 'strict' })).html;

test.each([
  ...[
    'language-js',
    'contains-task-list',
    'task-list-item',
    'footnotes',
    'sr-only',
    'shiki',
    'line',
  ],
  ...[
    'data-footnote-backref',
    'astro-code',
    'astro-code-themes',
    'math',
    'math-inline',
    'math-display',
  ],
])('strict HTML keeps the class %s', async (name) => {
  const html = `<p class="${name}">a</p>`;
  expect(await strict(html)).toBe(html);
});

test.each(['language-', 'x-language-js', 'token'])(
  'strict HTML drops the class %s',
  async (name) => {
    expect(await strict(`<p class="${name}">a</p>`)).toBe('<p>a</p>');
  },
);

test.each([
  ...['--shiki-dark', 'background-color', 'color', 'font-style', 'font-weight', 'text-align'],
  ...['text-decoration', 'overflow-x', 'user-select', 'white-space', 'word-wrap'],
])('strict HTML keeps the property %s', async (name) => {
  const html = `<p style="${name}:inherit">a</p>`;
  expect(await strict(html)).toBe(html);
});

test.each([
  ...['--x', '--shiki', 'background', 'colors', 'border-color', 'font', 'font-size', 'text-shadow'],
  ...['overflow-y', 'x-user-select', 'word-wraps', 'white-spaces', 'text-alignment'],
])('strict HTML drops the property %s', async (name) => {
  expect(await strict(`<p style="${name}:inherit">a</p>`)).toBe('<p>a</p>');
});
