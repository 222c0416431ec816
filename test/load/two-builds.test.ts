import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../helpers/runs.ts';
import {
  allowRemoval,
  type Load,
  type LoadMore,
  offline,
  setVariables,
  shownIn,
  useSite,
} from '../helpers/use-site.ts';

const ids = ['a', 'b', 'c', 'd'];
const article = (id: string, version: number) => ({
  id,
  title: `Title ${version} of ${id}`,
  content: `Text ${version} of ${id}.`,
  cover_image: null,
});
const unchanged = () => ids.map((id) => article(id, 0));

const site = useSite({ articles: unchanged });

/** A change of the service: an edit, a removal, or an article that is added again. */
interface Change {
  /** The number of requests of both builds before it. */
  after: number;
  id: string;
  isRemoved: boolean;
}

const anyChange: fc.Arbitrary<Change> = fc.record({
  after: fc.nat({ max: 6 }),
  id: fc.constantFrom(...ids),
  isRemoved: fc.boolean(),
});
/** In ms, for the responses in turn. */
const anyDelays = fc.array(fc.nat({ max: 3 }), { minLength: 20, maxLength: 20 });

/** Makes the changes between the requests, and delays each response, so that the other build may continue first. */
function disturb(changes: readonly Change[], delays: readonly number[]): void {
  const { service } = site;
  let requests = 0;
  service.beforeResponse = async () => {
    requests += 1;
    for (const [index, { after, id, isRemoved }] of changes.entries()) {
      if (after + 1 !== requests) continue;
      const others = service.articles.filter((each) => each.id !== id);
      // A build from a mirror without articles fails.
      const isLast = others.length === 0;
      service.replace(isRemoved && !isLast ? others : [article(id, index + 1), ...others]);
    }
    await setTimeout(delays[requests % delays.length]);
  };
}

/** Starts a build, and another one after a pause in ms. Returns their loads, and whether they overlapped. */
async function loadTwice(load: (name: string) => Promise<Load>, pause: number) {
  /** The name of a build at its start and at its end. */
  const log: string[] = [];
  const loadNamed = async (name: string) => {
    log.push(name);
    const result = await load(name);
    log.push(name);
    return result;
  };
  const other = setTimeout(pause).then(() => loadNamed('other'));
  const loads = await Promise.all([loadNamed('one'), other]);
  return { loads, isInterleaved: log[0] !== log[1] };
}

it('two builds at once leave what they would leave one after the other', async () => {
  let interleaved = 0;
  let differing = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyChange, { maxLength: 6 }),
      anyDelays,
      fc.nat({ max: 20 }),
      // Each run has folders of its own.
      fc.integer(),
      async (changes, delays, pause, number) => {
        const mirrorDir = join(site.root, `mirror ${number}`);
        const load = (name: string, more: LoadMore = {}) => {
          const root = join(site.root, `${name} ${number}`);
          return site.load({ mirrorDir, bodies: 'store' }, { root, inMemory: true, ...more });
        };
        site.service.replace(unchanged());
        const before = await load('first');
        expect(before.failure).toBeUndefined();

        disturb(changes, delays);
        // Once for both loads: each would restore what it found, also what the other one has set.
        const restore = setVariables(allowRemoval.env);
        const { loads, isInterleaved } = await loadTwice((name) => load(name), pause);
        restore();
        site.service.beforeResponse = undefined;
        if (isInterleaved) interleaved += 1;

        // The build that committed last has decided which articles there are, and nothing is mixed.
        const left = await load('offline', offline);
        expect(left.failure).toBeUndefined();
        const shown = loads.filter(({ failure }) => !failure).map(shownIn);
        expect(shown.length > 0 ? shown : [shownIn(before)]).toContainEqual(shownIn(left));
        if (new Set(shown.map((each) => JSON.stringify(each))).size > 1) differing += 1;
      },
    ),
    { ...runs(15), examples: [[[{ after: 1, id: 'a', isRemoved: false }], [1], 100, 0]] },
  );
  expect(interleaved).toBeGreaterThan(1);
  expect(differing).toBeGreaterThan(0);
});
