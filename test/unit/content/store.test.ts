import { expect, it, vi } from 'vitest';
import { fingerprintKey, reconcile } from '../../../src/content/store.ts';
import type { Entry } from '../../../src/load/entries.ts';
import { openStore } from '../../helpers/loader-context.ts';

const own = (position: number) => `${'0'.repeat(32)}.${position}`;

/** An entry that a load has, written again or unchanged. */
function entryOf(id: string, title?: string): Entry {
  const set = { id, digest: own(2), data: { title } };
  return { id, ...(title !== undefined && { set }) } as unknown as Entry;
}

async function reconciled(entries: readonly Entry[]) {
  const store = await openStore();
  const scoped = store.scopedStore('articles');
  const meta = store.metaStore('articles');
  for (const id of ['a', 'b', 'c']) scoped.set({ id, digest: own(1), data: { title: 'old' } });
  scoped.set({ id: 'file', digest: 'other', data: { title: 'file' } });
  reconcile({ store: scoped, meta }, entries, { fingerprint: 'f', isQuiet: false });
  const titles = scoped.values().map(({ id, data }) => [id, data.title]);
  return { titles: Object.fromEntries(titles), fingerprint: meta.get(fingerprintKey) };
}

it('writes what is new, keeps what is unchanged, and removes what no article has', async () => {
  const entries = [entryOf('a', 'new'), entryOf('b'), entryOf('d', 'new')];
  expect(await reconciled(entries)).toEqual({
    titles: { a: 'new', b: 'old', d: 'new', file: 'file' },
    fingerprint: 'f',
  });
});

it('leaves the entries of other loaders', async () => {
  expect((await reconciled([])).titles).toEqual({ file: 'file' });
});

const written = entryOf('a', 'new');
const unchanged = entryOf('a');

// The removal of an entry that does not exist makes Astro renew its list of images.
it.each([
  ['a load with images', { isQuiet: false, entry: unchanged, hasImages: true }, [['']]],
  ['a load without images', { isQuiet: false, entry: unchanged, hasImages: false }, []],
  [
    'a quiet load that writes an entry',
    { isQuiet: true, entry: written, hasImages: false },
    [['']],
  ],
  ['a quiet load that writes nothing', { isQuiet: true, entry: unchanged, hasImages: true }, []],
])('lets Astro renew its list of images where that is needed: %s', async (_, given, removals) => {
  const { isQuiet, entry, hasImages } = given;
  const store = await openStore();
  const scoped = store.scopedStore('articles');
  const meta = store.metaStore('articles');
  scoped.set({ id: 'a', digest: own(1), data: {} });
  const images = hasImages ? { assetImports: ['cover.png'] } : {};
  scoped.set({ id: 'file', digest: 'other', data: {}, ...images });
  const remove = vi.spyOn(scoped, 'delete');
  reconcile({ store: scoped, meta }, [entry], { fingerprint: 'f', isQuiet });
  expect(remove.mock.calls).toEqual(removals);
});
