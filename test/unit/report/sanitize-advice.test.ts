import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { optionsSchema } from '../../../src/options/options.ts';
import { collectLost } from '../../../src/report/lost-parts.ts';
import { adviceOnSanitize } from '../../../src/report/sanitize-advice.ts';
import { type DroppedHtml, droppedKinds } from '../../../src/shared/dropped-html.ts';
import type { SanitizeOption } from '../../../src/shared/sanitize-option.ts';
import { attribute, element, frame, versionWith } from '../../helpers/rendered-version.ts';
import { runs } from '../../helpers/runs.ts';

const textOf = (dropped: DroppedHtml[], sanitize: SanitizeOption = true) =>
  adviceOnSanitize(collectLost([versionWith('7', dropped)]), sanitize).join(' ');

/** The option that is advised, as it would be copied. */
function optionIn(text: string): unknown {
  const [, code] = /`sanitize: (\{ .*? \})`/.exec(text) ?? [];
  return code && new Function(`return ${code}`)();
}

const withTag = (name: string): DroppedHtml => ({ kind: 'text with a tag', name, on: 'img' });

describe('the option that keeps what was dropped', () => {
  it.each<[DroppedHtml[], string]>([
    [[frame('www.youtube.com')], "`sanitize: { iframes: ['www.youtube.com'] }` keeps frames."],
    [[element('form')], "`sanitize: { tags: ['form'] }` keeps elements."],
    [
      [attribute('border', 'table'), attribute('ref'), attribute('hreflang')],
      "`sanitize: { attributes: { 'table': ['border'], 'p': ['hreflang', 'ref'] } }` keeps attributes.",
    ],
    [
      [frame('a.example'), element('form'), attribute('ref')],
      "`sanitize: { iframes: ['a.example'], tags: ['form'], attributes: { 'p': ['ref'] } }` keeps frames, elements and attributes.",
    ],
    [
      [attribute('data-list', 'li')],
      "`sanitize: { attributes: { 'li': ['data-list'] } }` keeps attributes. `data-` attributes are for styles and scripts of the site.",
    ],
    [
      [frame("a'+process.exit(1)+'")],
      '`sanitize: { iframes: ["a\'+process.exit(1)+\'"] }` keeps frames.',
    ],
    [
      [withTag('alt')],
      "Some script libraries read `alt` as HTML. If yours do not, `sanitize: { attributes: { '*': ['alt'] } }` keeps it.",
    ],
    [
      [withTag('alt'), withTag('title')],
      "Some script libraries read `alt` and `title` as HTML. If yours do not, `sanitize: { attributes: { '*': ['alt', 'title'] } }` keeps them.",
    ],
  ])('of %j', (dropped, text) => {
    expect(textOf(dropped)).toBe(text);
  });

  it.each<[string, DroppedHtml[]]>([
    ['a frame without a host', [frame()]],
    ['elements that run script or embed a page', [element('script'), element('object')]],
    ['an element whose name no option takes', [element('o:p')]],
    ['attributes that run script', [attribute('onclick'), attribute('data-turbo')]],
    [
      'attributes that scripts read, or that disable links',
      [attribute('name', 'a'), attribute('inert')],
    ],
    ['a style', [{ kind: 'value', name: 'style', on: 'p' }]],
    ['a URL', [{ kind: 'url', name: 'href', on: 'a', scheme: 'file' }]],
    ['an id', [{ kind: 'id', name: 'id', on: 'p' }]],
    ['an item outside of a list', [{ kind: 'stray item', name: 'li' }]],
    ['an element of a drawing', [{ kind: 'drawing', name: 'div' }]],
  ])('does not exist for %s', (_, dropped) => {
    expect(textOf(dropped)).toBe('');
  });

  it('contains what the site allows already', () => {
    const allowed = {
      iframes: ['a.example'],
      tags: ['x-y'],
      attributes: { td: ['x'], '*': ['y'] },
    };
    const dropped = [frame('b.example'), attribute('z', 'td'), attribute('z')];
    expect(optionIn(textOf(dropped, allowed))).toEqual({
      iframes: ['a.example', 'b.example'],
      tags: ['x-y'],
      attributes: { td: ['x', 'z'], '*': ['y'], p: ['z'] },
    });
    expect(optionIn(textOf([withTag('alt')], allowed))).toEqual({
      ...allowed,
      attributes: { td: ['x'], '*': ['y', 'alt'] },
    });
  });

  it('is missing with `strict`, because an object would allow more', () => {
    expect(textOf([frame('b.example'), element('form'), withTag('alt')], 'strict')).toBe('');
  });

  it('names all hosts, and twenty elements and attributes', () => {
    const numbers = Array.from({ length: 30 }, (_, at) => at);
    const text = textOf([
      ...numbers.map((at) => frame(`v${at}.example`)),
      ...numbers.map((at) => element(`x${at}`)),
      ...numbers.map((at) => attribute(`y${at}`, 'td')),
    ]);
    expect(text).toContain(
      'keeps frames, elements and attributes, and 20 more can be listed there.',
    );
    const { iframes, tags, attributes } = Object(optionIn(text));
    expect([iframes.length, tags.length, attributes.td.length]).toEqual([30, 20, 20]);
  });
});

test('the option of any articles is one that the package accepts, and that a reader can copy', () => {
  const name = fc.oneof(
    fc.constantFrom(
      'form',
      'script',
      'border',
      'onclick',
      'data-list',
      'data-turbo',
      'alt',
      'style',
    ),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }),
    fc.stringMatching(/^[a-z][a-z\d-]{0,6}$/),
  );
  const part: fc.Arbitrary<DroppedHtml> = fc.record({
    kind: fc.constantFrom(...droppedKinds),
    name,
    on: name,
    host: fc.option(fc.domain(), { nil: undefined }),
  });
  let advised = 0;
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), (dropped) => {
      const option = optionIn(textOf(dropped));
      if (option === undefined) return;
      advised += 1;
      expect(optionsSchema.safeParse({ sanitize: option }).error).toBeUndefined();
    }),
    { ...runs(500), seed: 5 },
  );
  expect(advised).toBeGreaterThan(100);
});
