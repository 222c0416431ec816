import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../helpers/runs.ts';
import { allowRemoval, offline, shownIn, useSite } from '../helpers/use-site.ts';

const ids = ['a', 'b', 'c', 'd'];
const article = (id: string, version: number) => ({
  id,
  title: `Title ${version} of ${id}`,
  content: `Text ${version} of ${id}.`,
  cover_image: null,
});

const site = useSite({ articles: () => ids.map((id) => article(id, 0)) });

/** A change of the service: an edit, a removal, or an article that is added again. */
const change = fc.record({
  /** The number of requests of both builds before it. */
  after: fc.nat({ max: 6 }),
  id: fc.constantFrom(...ids),
  isRemoved: fc.boolean(),
});

it('two builds at once leave what they would leave one after the other', async () => {
  let interleaved = 0;
  let differing = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { maxLength: 6 }),
      fc.array(fc.nat({ max: 3 }), { minLength: 20, maxLength: 20 }),
      fc.nat({ max: 20 }),
      fc.integer(),
      async (changes, delays, pause, number) => {
        const { service } = site;
        const mirrorDir = join(site.root, `mirror ${number}`);
        const load = (name: string, more = {}) =>
          site.load(
            { mirrorDir, bodies: 'store' },
            { root: join(site.root, `${name} ${number}`), inMemory: true, ...more },
          );
        service.replace(ids.map((id) => article(id, 0)));
        const before = await load('first');
        expect(before.failure).toBeUndefined();

        let requests = 0;
        service.beforeResponse = async () => {
          requests += 1;
          for (const [index, { after, id, isRemoved }] of changes.entries()) {
            if (after + 1 !== requests) continue;
            const others = service.articles.filter((each) => each.id !== id);
            service.replace(isRemoved ? others : [article(id, index + 1), ...others]);
          }
          // Lets the other build continue first, or not.
          const delay = delays[requests % delays.length] ?? 0;
          await setTimeout(delay);
        };
        const started: string[] = [];
        const both = await Promise.all(
          ['one', 'other'].map(async (name) => {
            if (name === 'other') await setTimeout(pause);
            started.push(name);
            const result = await load(name, allowRemoval);
            started.push(name);
            return result;
          }),
        );
        service.beforeResponse = undefined;
        if (started[1] !== started[0]) interleaved += 1;

        // The one that committed last has decided which articles there are, and nothing is mixed.
        const left = await load('offline', offline);
        expect(left.failure).toBeUndefined();
        const results = both.filter(({ failure }) => !failure).map(shownIn);
        const possible = results.length > 0 ? results : [shownIn(before)];
        expect(possible).toContainEqual(shownIn(left));
        if (possible.length > 1 && JSON.stringify(possible[0]) !== JSON.stringify(possible[1]))
          differing += 1;
      },
    ),
    { ...runs(15), examples: [[[{ after: 1, id: 'a', isRemoved: false }], [1], 100, 0]] },
  );
  expect(interleaved).toBeGreaterThan(1);
  expect(differing).toBeGreaterThan(0);
});
