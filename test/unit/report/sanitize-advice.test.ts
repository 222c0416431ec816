import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { optionsSchema } from '../../../src/options/options.ts';
import { adviceOnSanitize } from '../../../src/report/sanitize-advice.ts';
import { type DroppedHtml, droppedKinds } from '../../../src/shared/dropped-html.ts';
import type { SanitizeOption } from '../../../src/shared/sanitize-option.ts';
import { attribute, element, frame } from '../../helpers/rendered-version.ts';
import { runs } from '../../helpers/runs.ts';

const textOf = (dropped: DroppedHtml[], sanitize: SanitizeOption = true) =>
  adviceOnSanitize(dropped, sanitize).join(' ');

/** The option that is advised, as it would be copied. */
function optionIn(text: string): unknown {
  const [, code] = /`sanitize: (\{ .*? \})`/.exec(text) ?? [];
  return code && new Function(`return ${code}`)();
}

const withTag = (name: string): DroppedHtml => ({ kind: 'text with a tag', name, on: 'img' });

describe('the option that keeps what was dropped', () => {
  it.each<[DroppedHtml[], string]>([
    [[frame('www.youtube.com')], "iframes: ['www.youtube.com']"],
    [[element('button')], "tags: ['button']"],
    [
      [attribute('border', 'table'), attribute('ref'), attribute('hreflang')],
      "attributes: { 'table': ['border'], 'p': ['ref', 'hreflang'] }",
    ],
    [
      [frame('a.example'), element('button'), attribute('ref')],
      "iframes: ['a.example'], tags: ['button'], attributes: { 'p': ['ref'] }",
    ],
    [[frame("a'+process.exit(1)+'")], 'iframes: ["a\'+process.exit(1)+\'"]'],
    [[frame("'+a")], 'iframes: ["\'+a"]'],
    [[frame('a-1.example')], "iframes: ['a-1.example']"],
    [[frame('a.example'), frame('a.example')], "iframes: ['a.example']"],
  ])('of %j', (dropped, fields) => {
    expect(textOf(dropped)).toBe(
      `To keep what an option can keep, set \`sanitize: { ${fields} }\`.`,
    );
  });

  it.each<[DroppedHtml, string]>([
    [attribute('data-list', 'li'), '`data-` attributes are for styles and scripts of the site.'],
    [withTag('title'), 'Some script libraries show texts with a tag as HTML.'],
  ])('of %j is not for every site', (dropped, sentence) => {
    const { name, on = '' } = dropped;
    expect(optionIn(textOf([dropped]))).toEqual({ attributes: { [on]: [name] } });
    expect(textOf([dropped])).toMatch(new RegExp(`\\. ${sentence}$`));
  });

  it.each<[string, DroppedHtml[]]>([
    ['a frame without a host', [frame()]],
    ['elements that run script or embed a page', [element('script'), element('object')]],
    ['an element whose name no option takes', [element('o:p')]],
    ['an attribute of an element whose name no option takes', [attribute('ref', 'o:p')]],
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
    expect(textOf(dropped, allowed)).toContain("'*': ['y']");
    expect(optionIn(textOf([withTag('alt')], allowed))).toEqual({
      ...allowed,
      attributes: { ...allowed.attributes, img: ['alt'] },
    });
  });

  it('is missing with `strict`, because an object would allow more', () => {
    expect(textOf([frame('b.example'), element('button'), withTag('alt')], 'strict')).toBe('');
  });
});

test('the option of any articles is one that the package accepts, and that a reader can copy', () => {
  const name = fc.oneof(
    fc.constantFrom(
      'button',
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
  expect(advised).toBeGreaterThan(30);
});
