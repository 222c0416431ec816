import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { htmlLimits, type Node, type Parent, parseHtml } from '../../../src/html/parse-html.ts';
import { policyFor } from '../../../src/html/policy.ts';
import { walkHtml } from '../../../src/html/walk-html.ts';
import type { SanitizeOption } from '../../../src/shared/sanitize-option.ts';
import { finish } from '../../helpers/finish.ts';
import { runs } from '../../helpers/runs.ts';

const base = { media: new URL('https://app.example.com/') };
const tags =
  'p div link b a h1 ul li table section details span form permission svg math img iframe x-y font'.split(
    ' ',
  );
const piece = fc
  .tuple(
    fc.constantFrom(...tags),
    fc.constantFrom('', ' id="a"', ' href="#a"', ' style="top:0"'),
    fc.boolean(),
  )
  .map(([tag, attributes, isClosed]) => `<${tag}${attributes}>${isClosed ? `</${tag}>` : ''}`);
const text = fc.constantFrom('', '\n\n', ' ', 'T', 'text', '<!--x-->');

const rules = () => ({
  policy: policyFor(true),
  base,
  parts: new Set<string>(),
  dropped: new Map(),
});

/** The largest number of times that one node may be looked at, on average. */
const limit = 25;

test('a tree of any size is walked with a constant number of visits for each of its nodes', () => {
  let tried = 0;
  fc.assert(
    fc.property(fc.array(fc.tuple(piece, text), { minLength: 1, maxLength: 4 }), (parts) => {
      const html = parts.flat().join('').repeat(500);
      const tree = parse(html);
      if (!tree) return;
      const counter = count(tree);
      walkHtml(tree, rules(), []);
      expect(counter.visits / counter.nodes).toBeLessThan(limit);
      if (counter.nodes > 1000) tried += 1;
    }),
    runs(40),
  );
  expect(tried).toBeGreaterThan(5);
});

/** Parses HTML; undefined when it is refused, because it is nested too deeply. */
function parse(html: string): ReturnType<typeof parseHtml> | undefined {
  try {
    return parseHtml(html);
  } catch {
    return undefined;
  }
}

test('boxes in one another, whose frames are dropped, are looked at once', () => {
  const frames = '<iframe src="https://a.example/"></iframe><p></p>'.repeat(20);
  const boxes = '<div style="height:9px">'.repeat(140);
  const whole = `${boxes}${frames}${'</div>'.repeat(140)}`;
  for (const html of [whole, whole.repeat(3), `${boxes}${frames}x`]) {
    const tree = parse(html);
    if (!tree) throw new Error('the test has too many boxes');
    const counter = count(tree);
    walkHtml(tree, rules(), []);
    expect(counter.visits / counter.nodes).toBeLessThan(limit);
  }
});

/** Counts the nodes of a tree, and from now on how often their names and attributes are read. */
function count(tree: Parent) {
  const counter = { nodes: 0, visits: 0 };
  const watch = (node: Node) => {
    counter.nodes += 1;
    for (const [key, given] of Object.entries(node)) {
      if (!['nodeName', 'tagName', 'attrs', 'value'].includes(key)) continue;
      let value: unknown = given;
      Object.defineProperty(node, key, {
        get() {
          counter.visits += 1;
          return value;
        },
        set(other) {
          value = other;
        },
      });
    }
    if ('childNodes' in node) for (const child of node.childNodes) watch(child);
  };
  for (const child of tree.childNodes) watch(child);
  return counter;
}

// The parser may move elements, so that a tree becomes deeper than it was while it was parsed.
test.each(['div', 'unknown'])('a tree of <%s> is bounded while it is walked', (tag) => {
  const walk = (depth: number) => {
    const tree = parseHtml(`<${tag}>`);
    const { childNodes } = tree;
    for (let at = 1; at < depth; at++) {
      const [outer] = parseHtml(`<${tag}>`).childNodes;
      if (outer) childNodes.push(Object.assign(outer, { childNodes: childNodes.splice(0) }));
    }
    walkHtml(tree, rules(), []);
  };
  expect(() => walk(htmlLimits.depth)).not.toThrow();
  expect(() => walk(htmlLimits.depth + 1)).toThrow('nested');
});

const clean = async (html: string, sanitize: SanitizeOption = true) =>
  (await finish(html, { sanitize })).html;

describe('a figure', () => {
  const frame = '<iframe src="https://video.example/1"></iframe>';

  it.each([
    `<figure class="embed">${frame}</figure>`,
    `<figure><figure>${frame}</figure></figure>`,
    `<figure><div class="wrapper">\n${frame}\n</div><figcaption> </figcaption></figure>`,
  ])('of which nothing is left goes: %s', async (html) => {
    expect(await clean(`<p>a</p>${html}<p>b</p>`)).toBe('<p>a</p><p>b</p>');
    expect(await clean(html, { iframes: ['video.example'] })).toContain('<figure');
  });

  it.each([
    '<figure><figcaption>A caption</figcaption></figure>',
    '<figure><img src="https://a.example/x.png" alt=""></figure>',
    '<figure><div><hr></div></figure>',
    '<figure class="chart"></figure>',
    '<figure><div class="chart"> </div><figcaption></figcaption></figure>',
  ])('with content, or of which nothing was dropped, stays: %s', async (html) => {
    expect(await clean(html)).toBe(html);
  });
});

describe('a box', () => {
  const frame = '<iframe src="https://video.example/1"></iframe>';

  it.each([
    [`<div style="height:9em">${frame}</div>`, ''],
    [`<div><p> </p><span>${frame}</span></div>`, ''],
    ['<div><embed src="/a.swf"></div>', ''],
    ['<figure><script>x</script></figure>', ''],
    ['<div><script>x</script></div>', '<div></div>'],
    [`<div>${frame}<hr></div>`, '<div><hr></div>'],
    [`<div>${frame}a</div>`, '<div>a</div>'],
    [`<a href="#a">x</a><div id="a">${frame}</div>`, '<a href="#a">x</a><div id="a"></div>'],
  ])('without its content leaves no gap: %s', async (html, kept) => {
    expect(await clean(html)).toBe(kept);
  });
});
