import { escapeAttribute } from 'entities/escape';
import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { toFeedHtml } from '../../../src/feed/feed-html.ts';
import { finishHtml } from '../../../src/html/finish-html.ts';
import { readHtml, toHtml } from '../../../src/html/parse-html.ts';
import { policyFor } from '../../../src/html/policy.ts';
import { type HtmlPart, splitHtml } from '../../../src/html/split-html.ts';
import { walkHtml } from '../../../src/html/walk-html.ts';
import { renderMarkdown } from '../../../src/live/live-markdown.ts';
import { renderedContent } from '../../../src/render/body-images.ts';
import { renderArticle } from '../../../src/render/render-article.ts';
import { finish } from '../../helpers/finish.ts';
import { misreading, nestedHtml } from '../../helpers/nested-html.ts';
import { runs } from '../../helpers/runs.ts';
import { soup } from '../../helpers/soup.ts';

const base = new URL('https://app.example.com/');
const page = new URL('https://site.example/a/');
const html = fc.oneof({ weight: 4, arbitrary: nestedHtml }, { weight: 1, arbitrary: soup });

/** Returns each output of the package for the HTML of an article, by name. */
async function outputsOf(given: string): Promise<Record<string, string>> {
  const entry = await finish(given);
  const strict = await finish(given, { sanitize: 'strict' });
  const article = { id: '1', title: 'T', content: given };
  const settings = { base, sanitize: true, extractImages: true };
  const render = async () => ({ html: given });
  const withImages = await renderArticle(article, { ...settings, render });
  const live = await renderArticle(article, { ...settings, render: renderMarkdown });
  return {
    'an entry': entry.html,
    'an entry of an unknown author': strict.html,
    'an entry with images': renderedContent(withImages, () => undefined).html,
    'a live page': renderedContent(live, () => undefined).html,
    'a feed': toFeedHtml(entry.html, page),
    'the body with a prefix': draw(splitHtml(entry.html, { idPrefix: 'a-' })),
    'a body with components': draw(splitHtml(entry.html, { components: { p: 'p', td: 'td' } })),
  };
}

/** Draws parts with components that write the element that they take the place of. */
function draw(parts: readonly HtmlPart<string>[]): string {
  return parts
    .map((part) => {
      if (typeof part === 'string') return part;
      const attributes = Object.entries(part.attributes).map(
        ([name, value]) => ` ${name}="${escapeAttribute(value)}"`,
      );
      const inside = part.children ? `${draw(part.children)}</${part.component}>` : '';
      return `<${part.component}${attributes.join('')}>${inside}`;
    })
    .join('');
}

/** Returns whether one round of parser and policy leaves a tree that no text has. */
function isUnsettled(given: string): boolean {
  const { tree } = readHtml(given);
  const rules = { policy: policyFor(true), base: { media: base } };
  walkHtml(tree, { ...rules, parts: new Set(), dropped: new Map() }, []);
  return misreading(toHtml(tree)) !== undefined;
}

test('what is written is what a browser reads, in each output of an article', async () => {
  let again = 0;
  await fc.assert(
    fc.asyncProperty(html, async (given) => {
      for (const [name, output] of Object.entries(await outputsOf(given)))
        expect(misreading(output), `${name} of ${given}: ${output}`).toBeUndefined();
      const first = await finish(given);
      expect((await finish(first.html)).html).toBe(first.html);
      if (isUnsettled(given)) again += 1;
    }),
    { ...runs(250), seed: 1 },
  );
  expect(again).toBeGreaterThan(runs(15).numRuns);
});

describe('HTML that no browser reads as it is written', () => {
  const bold = '<b>after</b>';

  it.each([
    ['<ul><li><form><div><li>x</li></div></form></li></ul>', '<ul><li><div>x</div></li></ul>'],
    [
      '<dl><dd><fieldset><div><div><dd>x</dd></div></div></fieldset></dd></dl>',
      '<dl><dd><div><div>x</div></div></dd></dl>',
    ],
    [
      '<ul><li><table><div><div><li>x</li></div></div></table></li></ul>',
      '<ul><li><div><div>x</div></div><table></table></li></ul>',
    ],
    [
      '<button><marquee><article><main><button>x</button></main></article></marquee></button>',
      '<button><article><main></main></article></button><button>x</button>',
    ],
    [
      '<a href="/x">a<marquee><a href="/y">b</a></marquee></a>',
      '<a href="/x">a</a><a href="/y">b</a>',
    ],
    ['<h2>a<form><h3>b</h3></form></h2>', '<h2>a</h2><h3>b</h3>'],
  ])('is written as browsers read it: %s', async (html, written) => {
    const finished = await finish(`${html}${bold}`);
    expect(finished.html).toBe(written + bold);
    expect(misreading(finished.html)).toBeUndefined();
  });

  it('reports what each reading drops, and takes pictures out of the last one', async () => {
    const image = '<img src="https://a.example/1.png">';
    const given = `<h2>a<form><h3 onclick="x">${image}</h3></form></h2>`;
    const { html, images, dropped } = await finish(given, { extractImages: true });
    expect(html).toBe('<h2>a</h2><h3></h3>');
    expect(images.map(({ html: each }) => each)).toEqual([image]);
    expect(dropped).toEqual(['<form>', 'onclick on h3']);
  });

  it.each([
    ['<ul><li><form><div><li>x</li></div></form></li></ul>', undefined],
    [
      '<ul><li><table><div><li>x</li></div></table></li></ul>',
      '<ul><li><div><li>x</li></div><table></table></li></ul>',
    ],
  ])(
    'is written as the parser has read it with `sanitize: false`: %s',
    async (html, read = html) => {
      expect((await finish(html, { sanitize: false })).html).toBe(read);
    },
  );
});

test('HTML that each reading changes is refused with a reason', () => {
  const policy = policyFor(true);
  let calls = 0;
  const everySecond = Object.assign(new Set<string>(), { has: () => calls++ % 2 === 1 });
  const options = { policy: policy && { ...policy, tags: everySecond }, base: { media: base } };
  const nested = '<i>'.repeat(60);
  expect(() => finishHtml(readHtml(nested), options)).toThrow('that each reading changes; close');
});
