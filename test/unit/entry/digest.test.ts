import fc from 'fast-check';
import { expect, test } from 'vitest';
import { reconcile } from '../../../src/content/store.ts';
import { entryDigest, isMadeFrom, isOwnEntry } from '../../../src/entry/digest.ts';
import { openStore } from '../../helpers/loader-context.ts';

const digits = (count: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: count, maxLength: count });
const own = fc
  .tuple(fc.constantFrom(32, 40, 48, 64).chain(digits), fc.nat())
  .map((parts) => parts.join('.'));
// Those of Astro's loaders, of other loaders, and none.
const foreign = fc.oneof(
  digits(16),
  digits(64),
  fc.tuple(digits(16), fc.nat()).map((parts) => parts.join('.')),
  fc.nat(),
  fc.constant(undefined),
);

test('a load removes entries of another version of the package, and none of other loaders', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(own), fc.array(foreign), async (ofPackage, ofOthers) => {
      const store = await openStore();
      const scoped = store.scopedStore('articles');
      const add = (digest: string | number | undefined, id: string) =>
        scoped.set({ id, data: {}, ...(digest !== undefined && { digest }) });
      for (const [index, digest] of ofPackage.entries()) add(digest, `own-${index}`);
      for (const [index, digest] of ofOthers.entries()) add(digest, `other-${index}`);
      const context = { store: scoped, meta: store.metaStore('articles') };
      reconcile(context, [], { fingerprint: 'f', isQuiet: false });
      expect(scoped.keys().toSorted()).toEqual(
        ofOthers.map((_, index) => `other-${index}`).toSorted(),
      );
    }),
  );
});

test('an entry is made from its inputs, at its position', () => {
  fc.assert(
    fc.property(digits(32), digits(32), fc.nat(), (inputs, others, position) => {
      fc.pre(inputs !== others);
      const entry = { digest: entryDigest(inputs, { id: '1', position }, { title: 'a' }) };
      expect(isMadeFrom(entry, inputs, position)).toBe(true);
      expect(isMadeFrom(entry, inputs, position + 1)).toBe(false);
      expect(isMadeFrom(entry, others, position)).toBe(false);
    }),
  );
  expect(isMadeFrom({}, '', 0)).toBe(false);
});

test('the entries that it writes are its own', () => {
  fc.assert(
    fc.property(digits(32), fc.nat(), fc.string(), (inputs, position, title) => {
      const digest = entryDigest(inputs, { id: '1', position }, { title, position });
      expect(isOwnEntry({ digest })).toBe(true);
    }),
  );
});
