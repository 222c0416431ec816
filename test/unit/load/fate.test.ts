import { describe, expect, it, test } from 'vitest';
import { absentFates, type Evidence } from '../../../src/load/fate.ts';

const evidenceOf = (changes: Partial<Evidence> = {}): Evidence => ({
  listing: { ids: new Set(['b']), isFull: false },
  notFound: new Set(),
  onlyPublished: new Set(),
  ...changes,
});

describe('the fate of an article', () => {
  const fates = ['stays', 'not listed', 'gone', 'older'] as const;
  type Expected = (typeof fates)[number];
  // Each combination of evidence that a load can have about one article.
  const table: [
    listed: boolean,
    again: 'not read' | 'lists it' | 'lacks it' | 'incomplete',
    ownUrl: 'an article' | 404,
    expected: Expected,
  ][] = [
    [true, 'not read', 'an article', 'stays'],
    [true, 'not read', 404, 'stays'],
    [true, 'lists it', 404, 'stays'],
    [true, 'lacks it', 404, 'gone'],
    [true, 'incomplete', 404, 'gone'],
    [true, 'lacks it', 'an article', 'stays'],
    [false, 'not read', 404, 'gone'],
    [false, 'not read', 'an article', 'stays'],
    [false, 'lists it', 'an article', 'stays'],
    [false, 'lacks it', 'an article', 'not listed'],
    [false, 'incomplete', 'an article', 'stays'],
    [false, 'lacks it', 404, 'gone'],
    [false, 'lists it', 404, 'gone'],
  ];

  test.each(table)(
    'listed %s, a second reading %s, its own URL responds with %s: %s',
    (isListed, again, ownUrl, expected) => {
      const readings = {
        'not read': undefined,
        'lists it': { ids: new Set(['a', 'b']), isComplete: true },
        'lacks it': { ids: new Set(['b']), isComplete: true },
        incomplete: { ids: new Set(['b']), isComplete: false },
      };
      const evidence = evidenceOf({
        listing: { ids: new Set(isListed ? ['a', 'b'] : ['b']), isFull: false },
        secondReading: readings[again],
        notFound: new Set(ownUrl === 404 ? ['a'] : []),
      });
      const fate = absentFates(['a', 'b'], evidence).get('a');
      const found = fate === undefined ? 'stays' : fate.is === 'left out' ? fate.why : fate.is;
      expect(found).toBe(expected);
    },
  );

  it('is left out at once if only the published slugs have it, unless it is gone', () => {
    const evidence = evidenceOf({ onlyPublished: new Set(['a']) });
    expect(absentFates(['a', 'b'], evidence)).toEqual(
      new Map([['a', { is: 'left out', why: 'not listed' }]]),
    );
    const gone = evidenceOf({ onlyPublished: new Set(['a']), notFound: new Set(['a']) });
    expect(absentFates(['a', 'b'], gone)).toEqual(new Map([['a', { is: 'gone' }]]));
  });

  it('is older, without proof, while the listing has as many articles as the site loads', () => {
    const evidence = evidenceOf({ listing: { ids: new Set(['b']), isFull: true } });
    expect(absentFates(['a', 'b'], evidence)).toEqual(new Map([['a', { is: 'older' }]]));
  });

  it('needs two complete readings to prove that an article is not listed', () => {
    const listing = { ids: new Set(['b']), isFull: false, incomplete: 'it kept changing' };
    const secondReading = { ids: new Set(['b']), isComplete: true };
    expect(absentFates(['a', 'b'], evidenceOf({ listing, secondReading })).size).toBe(0);
    expect(absentFates(['a'], evidenceOf({ listing, notFound: new Set(['a']) })).size).toBe(1);
  });
});
