import { createRequire } from 'node:module';
import * as fc from 'fast-check';
import { micromark } from 'micromark';
import { gfm } from 'micromark-extension-gfm';
import { afterAll, expect, test, vi } from 'vitest';
import { type Bounds, exceededLimit, liveBounds } from '../../../src/render/bounds.ts';
import { containersOf } from '../../../src/render/containers.ts';
import { textsOf } from '../../../src/render/texts.ts';
import { documentOf, list, type Recipe } from '../../helpers/costly-documents.ts';
import { runs } from '../../helpers/runs.ts';

/** The class with which micromark moves tokens when a quote or list ends. */
const micromarkPath = createRequire(import.meta.url).resolve('micromark');
const editMapPath = createRequire(micromarkPath).resolve('micromark-util-edit-map');
const { EditMap } = await import(editMapPath);

let copied = 0;
const consume = EditMap.prototype.consume;
vi.spyOn(EditMap.prototype, 'consume').mockImplementation(function (
  this: { map: unknown[] },
  ...args: unknown[]
) {
  const [events] = args as [unknown[]];
  if (this.map.length > 0) copied += events.length;
  return consume.apply(this, args);
});
afterAll(() => vi.restoreAllMocks());

/** Returns how many tokens micromark copies for the ends of quotes and lists, and underlined headings. */
function copiesOf(markdown: string): number {
  copied = 0;
  micromark(markdown, { extensions: [gfm()] });
  return copied;
}

const rows = [
  ...['', '   ', '\ta', '-\tb', ' \t> c', '\t- d', '>\t- e', '-\t'],
  ...list(`a ··a ····b -·a -····x -······y ··-·c ····-·d ··\t-·e +·m + - 1.·b 2.·c 1)·o 1.····j 123456789.·a #·d -·#·h
    >·e > >·-·g >·>·k ··>·l ·····>·m -·-·p -·[·]·a *·*·* --- = [^1]:·h [^1]:·i [x]:·/u <div> <!-- --> |·a·| |-| ~~~ \\`),
  ...['```', '  ```', '- ```', '    ```', '  > ```'],
];

test('micromark copies at most as many tokens as are counted for quotes and lists', () => {
  const row = fc.constantFrom(...rows);
  fc.assert(
    fc.property(
      fc.array(row, { maxLength: 3 }),
      fc.array(row, { minLength: 1, maxLength: 6 }),
      (start, repeated) => {
        const lines = [...start, ...Array.from({ length: 40 }, () => repeated).flat()];
        const { ends, tokens } = containersOf(textsOf(lines), lines);
        // The end of the article may be one, too.
        expect(copiesOf(lines.join('\n'))).toBeLessThanOrEqual((ends + 1) * tokens);
      },
    ),
    runs(60),
  );
});

test('the items of a list count a twentieth of its end, with all of their text', () => {
  const endsOf = (text: string) => {
    const lines = text.split('\n');
    return containersOf(textsOf(lines), lines).ends;
  };
  expect(endsOf('- a\n\n  b\n'.repeat(101))).toBeCloseTo(5);
  expect(endsOf('-\ta\n\n\tb\n'.repeat(101))).toBeCloseTo(5);
  expect(endsOf('10. a\n    ```\n    - b\n    ```\n'.repeat(101))).toBeGreaterThan(100);
  expect(endsOf('> a\n> b\n'.repeat(100))).toBe(0);
  expect(endsOf('- a\n\nb\n\n'.repeat(100))).toBe(100);
  expect(endsOf('> a\n\n'.repeat(100))).toBe(99);
  expect(endsOf('- a\n  - b\n'.repeat(100))).toBe(99);
  expect(endsOf('[^1]: a\n\nb\n\n'.repeat(100))).toBe(100);
  expect(endsOf('1. a\n```\nb\n```\n'.repeat(100))).toBe(99);
  expect(endsOf('a\n=\n\n'.repeat(100))).toBe(100);
});

const indented = '\n\n    ';
const costly: Pick<Recipe, 'parts' | 'joint'>[] = [
  { parts: ['1. a', '</', '[a'], joint: indented },
  { parts: ['1. a', '[a'], joint: indented },
  { parts: ['[^1]: a\n\n[^1]', String.raw`\*`], joint: '\n- ' },
  { parts: ['- a\n  - b'], joint: '\n' },
  { parts: ['- > a'], joint: '\n' },
  { parts: ['a\n='], joint: '\n\n' },
  { parts: [' \t> s', '>'], joint: '\n' },
  { parts: ['[^1]: a', '```', 'b', '```'], joint: '\n' },
];

test.each(costly)(
  'the largest accepted article of $parts is copied at most as often as allowed',
  (recipe) => {
    const bounds: Bounds = { ...liveBounds, moves: liveBounds.moves / 30 };
    const documentOfSize = (size: number) =>
      documentOf({ start: '', order: 'mixed', ...recipe, size });
    let accepted = 0;
    let refused = 100_000;
    while (refused - accepted > 100) {
      const size = Math.floor((accepted + refused) / 2);
      if (exceededLimit(documentOfSize(size), bounds)) refused = size;
      else accepted = size;
    }
    expect(accepted).toBeLessThan(50_000);
    const copies = copiesOf(documentOfSize(accepted));
    expect(copies).toBeLessThan(bounds.moves);
    // It is not refused much too early, either.
    expect(copies).toBeGreaterThan(bounds.moves / 20);
  },
);
