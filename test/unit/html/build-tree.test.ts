import * as fc from 'fast-check';
import { defaultTreeAdapter, html, parseFragment } from 'parse5';
import { expect, test } from 'vitest';
import { buildTree } from '../../../src/html/build-tree.ts';
import { htmlLimits, type Node, type Parent, parseHtml } from '../../../src/html/parse-html.ts';
import { nestedHtml } from '../../helpers/nested-html.ts';
import { runs } from '../../helpers/runs.ts';
import { soup } from '../../helpers/soup.ts';

const context = defaultTreeAdapter.createElement('div', html.NS.HTML, []);
const build = (text: string) => buildTree(text, htmlLimits.parts);

/** Builds the tree of a text, and compares it with that of the parser. Returns whether it was built. */
function isBuilt(text: string): boolean {
  const tree = build(text);
  if (!tree) return false;
  const parsed = parseFragment(context, text, { scriptingEnabled: false });
  expect(withoutParents(tree), text).toEqual(withoutParents(parsed));
  expectParents(tree);
  return true;
}

function withoutParents(node: Node | Parent): object {
  const { parentNode, childNodes, ...rest } = { parentNode: null, childNodes: undefined, ...node };
  const nodes: Node[] | undefined = childNodes;
  return nodes ? { ...rest, childNodes: nodes.map(withoutParents) } : rest;
}

function expectParents(parent: Parent): void {
  for (const node of parent.childNodes) {
    expect(node.parentNode === parent).toBe(true);
    if ('childNodes' in node) expectParents(node);
  }
}

const words = (list: string) => fc.constantFrom(...list.trim().split(/\s+/));
const oddText = fc.oneof(
  words('&copy; &#0; &#x80; &#xd800; &#x1fffe; & &ampx </p> < <!-->'),
  fc.constantFrom('\t', '\u00a0', '\ud800', '\r', '\f', '<!-- -- -->'),
);
const text = fc.oneof(
  {
    weight: 40,
    arbitrary: words('x x x x &amp; &lt; &#x26; &#39; &nbsp; &#x1f600; ü 😀 <!--x--> <!--a-b-->'),
  },
  { weight: 20, arbitrary: fc.constantFrom(' ', '\n', '\n\n', '') },
  { weight: 1, arbitrary: oddText },
);
const value = text.filter((part) => !/[<"]/.test(part));
const attribute = fc.oneof(
  {
    weight: 40,
    arbitrary: fc.tuple(words('class id href data-x start'), value).map(([n, v]) => ` ${n}="${v}"`),
  },
  { weight: 10, arbitrary: fc.constantFrom(' checked', ' disabled=""', '') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(' a=b', " a='b'", ' A="b"', '  a="b"', ' checked checked'),
  },
);
const attributes = fc.array(attribute, { maxLength: 1 }).map((parts) => parts.join(''));
const inlineTag = words('a em strong code span del sup b i kbd small u s abbr q font time picture');
const voidTag = words('br img input hr wbr source link');
const blockTag = words('p h1 h2 pre blockquote ul ol table dl div section details figure center');
const element = (tag: fc.Arbitrary<string>, content: fc.Arbitrary<string>) =>
  fc
    .tuple(tag, attributes, content)
    .map(([name, given, inside]) => `<${name}${given}>${inside}</${name}>`);
const many = (part: fc.Arbitrary<string>) =>
  fc.array(part, { maxLength: 3, depthIdentifier: 'tree' }).map((parts) => parts.join(''));

/** HTML as Markdown processors write it, and some that is not. */
const { flow } = fc.letrec<Record<'flow' | 'phrasing' | 'block', string>>((tie) => ({
  phrasing: fc.oneof(
    { depthSize: 'medium', depthIdentifier: 'tree' },
    text,
    fc.tuple(voidTag, attributes).map(([tag, given]) => `<${tag}${given}>`),
    element(inlineTag, many(tie('phrasing'))),
  ),
  block: fc.oneof(
    { depthSize: 'medium', depthIdentifier: 'tree' },
    element(words('p h1 h2 pre summary'), many(tie('phrasing'))),
    element(words('blockquote div section details figure center figcaption'), tie('flow')),
    element(words('ul ol'), many(fc.oneof(text, element(fc.constant('li'), tie('flow'))))),
    element(fc.constant('dl'), many(element(words('dt dd'), tie('flow')))),
    element(
      fc.constant('table'),
      element(
        words('thead tbody'),
        many(element(fc.constant('tr'), many(element(words('td th'), tie('flow'))))),
      ),
    ),
  ),
  flow: many(
    fc.oneof(
      { weight: 20, arbitrary: tie('block') },
      { weight: 10, arbitrary: tie('phrasing') },
      { weight: 1, arbitrary: element(fc.oneof(inlineTag, blockTag), tie('block')) },
    ),
  ),
}));

test('the tree of usual HTML is that of the parser', () => {
  const count = { tried: 0, built: 0 };
  fc.assert(
    fc.property(flow, (given) => {
      count.tried += 1;
      if (isBuilt(given) && given.length > 20) count.built += 1;
    }),
    { ...runs(3000), seed: 1 },
  );
  expect(count.built).toBeGreaterThan(count.tried / 4);
});

test('any other HTML is left to the parser', () => {
  let built = 0;
  const tags = fc
    .array(
      fc.oneof(
        text,
        words('<p> </p> <b> </b> <a> </a> <li> <ul> </ul> <pre> </pre> <td> <br> <table> </table>'),
      ),
    )
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.oneof(tags, soup, nestedHtml), (given) => {
      if (isBuilt(given)) built += 1;
    }),
    { ...runs(3000), seed: 1 },
  );
  expect(built).toBeGreaterThan(50);
});

test('a tree that may be too deep or too large is left to the parser', () => {
  const deep = (levels: number) => '<div>'.repeat(levels) + '</div>'.repeat(levels);
  expect(build(deep(100))).toBeDefined();
  expect(build(deep(101))).toBeUndefined();
  expect(buildTree('<p id="a">x</p>', 10)).toBeDefined();
  expect(buildTree('<p id="a">x</p>', 9)).toBeUndefined();
  expect(() => parseHtml('<p a b c d e>x</p>', 7)).toThrow('more than 7 elements');
});
