import { describe, expect, test } from 'vitest';
import type { ArticlesOptions } from '../../src/options/options.ts';
import { useSite } from '../helpers/use-site.ts';

// `entryId` as a function gives entries ids such as `de/tides-1`.

const site = useSite({
  articles: () => [
    { id: 1, title: 'Tides', content: 'The sea.', cover_image: null, language: 'en' },
    { id: 2, title: 'Gezeiten', content: 'Das Meer.', cover_image: null, language: 'de', of: '1' },
  ],
});
type EntryId = Exclude<ArticlesOptions['entryId'], string | undefined>;
const byLanguage: EntryId = ({ language, of, id, slug }) =>
  language === 'de' ? `de/${of ?? id}` : slug;

async function ids(entryId: ArticlesOptions['entryId'], options: ArticlesOptions = {}) {
  const { entries, failure } = await site.load({ ...options, entryId });
  expect(failure).toBeUndefined();
  return [...entries.keys()].sort();
}

describe.each(['store', 'mirror'] as const)(
  '`entryId` as a function, with `bodies: "%s"`,',
  (bodies) => {
    test('gives an entry the id that it returns for the fields of the article', async () => {
      expect(await ids(byLanguage, { bodies })).toEqual(['de/1', 'tides-1']);
      expect(await ids('slug', { bodies })).toEqual(['gezeiten-2', 'tides-1']);
      expect(await ids(byLanguage, { bodies })).toEqual(['de/1', 'tides-1']);
    });

    test('leaves the entry of an unchanged article unchanged, and moves that of a changed one', async () => {
      const first = (await site.load({ entryId: byLanguage, bodies })).entries.get('de/1');
      site.service.change(1, { title: 'High tides' });
      const { entries, failure } = await site.load({ entryId: byLanguage, bodies });
      expect(failure).toBeUndefined();
      expect([...entries.keys()].sort()).toEqual(['de/1', 'high-tides-1']);
      expect(entries.get('de/1')).toEqual(first);
    });
  },
);

test.each([
  ['is not a text', () => 5 as unknown as string, '`entryId` returned 5, which is not a text'],
  ['is empty', () => '', '`entryId` returned "", which is not a text'],
  [
    'belongs to another article',
    () => 'same',
    '`entryId` returned "same", the id of the entry of article "1"',
  ],
])('an id that %s is a problem of its article', async (_, entryId, reason) => {
  const { failure } = await site.load({ entryId });
  expect(failure?.message).toContain(reason);
});

test('an error of the function is a problem of its article', async () => {
  const entryId: EntryId = ({ language }) => {
    if (language === 'de') throw new TypeError('no such language');
    return 'one';
  };
  const { failure } = await site.load({ entryId });
  expect(failure?.message).toContain('article "2": `entryId` failed: no such language');
  const { entries } = await site.load({ entryId, onInvalid: 'keep' });
  expect([...entries.keys()]).toEqual(['one']);
});
