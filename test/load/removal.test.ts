import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { articlesLoader } from '../../src/content/loader.ts';
import type { ArticlesOptions } from '../../src/options/options.ts';
import { createLoaderContext } from '../helpers/loader-context.ts';
import {
  createModelService,
  type Edit,
  type Event,
  type ModelOptions,
  type ModelService,
  type ModelState,
} from '../helpers/model-service.ts';
import { runs } from '../helpers/runs.ts';
import { skipPauses } from '../helpers/time.ts';

// The service is modelled in memory. Between any two requests it may add, remove and edit articles, or move
// one to the top. Any request may fail or reach a replica that is a few states behind.

const maxLag = 3;
let root: string;
let mirrors = 0;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'removal-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));
beforeEach(skipPauses);
afterEach(() => void vi.restoreAllMocks());

interface Collection {
  load(trustList: boolean): Promise<boolean>;
  shown(): Map<string, unknown>;
}

/** Creates an empty collection of a site that has no mirror yet. */
async function createCollection(service: ModelService): Promise<Collection> {
  mirrors += 1;
  const context = await createLoaderContext({ root, inMemory: true });
  const options: ArticlesOptions = {
    baseUrl: 'https://articles.example',
    apiKey: 'model-key',
    fetch: service.fetch,
    totalTimeout: 3_600_000,
    pageSize: 10,
    mirrorDir: `./mirror-${mirrors}`,
    onInvalid: 'keep',
    allowEmpty: true,
  };
  return {
    load: (trustList) =>
      articlesLoader({ ...options, trustList })
        .load(context)
        .then(
          () => true,
          () => false,
        ),
    shown: () => new Map(context.store.values().map(({ id, body }) => [id, body])),
  };
}

const edit: fc.Arbitrary<Edit> = fc.record({
  kind: fc.constantFrom('insert', 'delete', 'edit', 'move'),
  at: fc.nat(11),
});
const lag = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(maxLag));
const fault = fc.oneof(
  { weight: 6, arbitrary: fc.constant(undefined) },
  fc.constantFrom(
    '404' as const,
    '429' as const,
    '500' as const,
    'network' as const,
    'cut' as const,
    'html' as const,
  ),
);
const event = fc.record({ edits: fc.array(edit, { maxLength: 2 }), fault, lag });
const service: fc.Arbitrary<ModelOptions> = fc.record({
  maxLimit: fc.integer({ min: 2, max: 5 }),
  envelope: fc.constantFrom('counted', 'linked', 'array'),
  fullRows: fc.boolean(),
});
const articles = fc.integer({ min: 1, max: 10 });

function initial(count: number): ModelState {
  return Array.from({ length: count }, (_, index) => ({
    id: `a${index}`,
    title: `Title ${index}`,
    content: 'Version 0.',
  }));
}

/** Returns the ids that are in all states. */
function inAll(states: readonly ModelState[]): Set<string> {
  const ids = states.map((state) => state.map(({ id }) => id));
  return new Set(ids.at(0)?.filter((id) => ids.every((each) => each.includes(id))));
}

/** Returns the ids that are in no state. */
function isInNone(id: string, states: readonly ModelState[]): boolean {
  return !states.some((state) => state.some((article) => article.id === id));
}

/** Returns the index of the oldest state that a request from now on may see. */
function horizon({ states }: ModelService): number {
  return Math.max(0, states.length - 1 - maxLag);
}

function expectExact(collection: Collection, service: ModelService): void {
  const served = (service.states.at(-1) ?? []).map(({ id, content }) => [id, content] as const);
  expect(collection.shown()).toEqual(new Map(served));
}

describe('under any sequence of edits, faults and lagging replicas', () => {
  it('an article that the service has all the time is never removed', async () => {
    const load = fc.record({ events: fc.array(event, { maxLength: 30 }), trustList: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        articles,
        service,
        fc.array(load, { minLength: 1, maxLength: 4 }),
        async (count, options, loads) => {
          const service = createModelService(initial(count), options);
          const collection = await createCollection(service);
          await collection.load(false);
          for (const { events, trustList } of loads) {
            const before = collection.shown();
            const first = horizon(service);
            service.script(events);
            const succeeded = await collection.load(trustList);
            const after = collection.shown();
            if (!succeeded) expect(after).toEqual(before);
            const present = inAll(service.states.slice(first));
            for (const id of before.keys())
              if (present.has(id)) expect([...after.keys()]).toContain(id);
          }
          service.script([]);
          await collection.load(false);
          expectExact(collection, service);
        },
      ),
      runs(20),
    );
  });
});

describe('an article that is gone for good', () => {
  const churn: fc.Arbitrary<Event> = fc.record({
    edits: fc.array(edit, { minLength: 1, maxLength: 3 }),
    lag,
  });

  it('is removed within two loads, even when the service changes between all pages', async () => {
    let checked = 0;
    await fc.assert(
      fc.asyncProperty(
        articles,
        service,
        fc.array(churn, { minLength: 1, maxLength: 12 }),
        fc.boolean(),
        async (count, options, pattern, trustList) => {
          // Without an article that can be fetched, a 404 proves nothing.
          const service = createModelService(initial(count + 1), { ...options, keepsLast: true });
          const collection = await createCollection(service);
          await collection.load(false);
          // More than one load has requests, so all of them meet changes.
          const rounds = Math.ceil(80 / pattern.length);
          const events = Array.from({ length: rounds }, () => pattern).flat();
          let succeeded = 0;
          let first = horizon(service);
          for (let load = 0; load < 6; load++) {
            if (succeeded === 0) first = horizon(service);
            service.script(events);
            succeeded = (await collection.load(trustList)) ? succeeded + 1 : 0;
            if (succeeded < 2) continue;
            checked += 1;
            const seen = service.states.slice(first);
            for (const id of collection.shown().keys()) expect(isInNone(id, seen), id).toBe(false);
            succeeded = 0;
          }
        },
      ),
      runs(10),
    );
    expect(checked).toBeGreaterThan(0);
  });
});

describe('a service whose listing is right', () => {
  it('keeps every article that it lists, with any response to the requests for them', async () => {
    const denied = fc.array(fc.nat(11), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(
        articles,
        service,
        fc.array(fc.record({ edits: fc.array(edit, { maxLength: 3 }), denied }), { maxLength: 4 }),
        async (count, options, loads) => {
          const service = createModelService(initial(count), options);
          const collection = await createCollection(service);
          await collection.load(false);
          for (const { edits, denied } of loads) {
            const before = collection.shown();
            for (const each of edits) service.edit(each);
            const now = (service.states.at(-1) ?? []).map(({ id }) => id);
            service.deny(now.filter((_, index) => denied.includes(index)));
            await collection.load(false);
            const after = [...collection.shown().keys()];
            for (const id of now) if (before.has(id)) expect(after).toContain(id);
          }
        },
      ),
      runs(10),
    );
  });
});

describe('a quiet service', () => {
  it('is shown exactly after one load, after any earlier loads', async () => {
    await fc.assert(
      fc.asyncProperty(
        articles,
        service,
        fc.array(fc.array(edit, { maxLength: 6 }), { minLength: 1, maxLength: 4 }),
        async (count, options, rounds) => {
          const service = createModelService(initial(count), options);
          const collection = await createCollection(service);
          for (const edits of rounds) {
            for (const each of edits) service.edit(each);
            service.script([]);
            expect(await collection.load(false)).toBe(true);
            expectExact(collection, service);
          }
        },
      ),
      runs(10),
    );
  });

  it('is shown exactly after one load that follows any faults', async () => {
    const load = fc.array(fc.record({ edits: fc.array(edit, { maxLength: 1 }), fault, lag }), {
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(
        articles,
        service,
        fc.array(load, { maxLength: 3 }),
        async (count, options, loads) => {
          const service = createModelService(initial(count), options);
          const collection = await createCollection(service);
          for (const events of loads) {
            service.script(events);
            await collection.load(true);
            service.script([]);
            await collection.load(false);
            expectExact(collection, service);
          }
        },
      ),
      runs(10),
    );
  });
});
