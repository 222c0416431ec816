import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SchemaContext } from 'astro/content/config';
import { z } from 'astro/zod';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { type FixtureService, startService } from '../../fixtures/service.ts';
import { articlesCollection } from '../../src/content/collection.ts';
import { createLoaderContext } from '../helpers/loader-context.ts';

let service: FixtureService;
let root: string;

beforeEach(async () => {
  service = await startService();
  service.replace(makeArticles(4, { cover: 'tides.jpg' }));
  root = await mkdtemp(join(tmpdir(), 'collection-'));
});
afterEach(async () => {
  await service.close();
  await rm(root, { recursive: true });
});

it('one schema serves all entries of a load, and nobody else', async () => {
  const { loader, schema } = articlesCollection({ baseUrl: service.url, apiKey: service.apiKey });
  const asked: unknown[] = [];
  const asItIsAsked = (given: SchemaContext) => {
    const made = schema(given);
    asked.push(made);
    return made;
  };
  const context = await createLoaderContext({ root, schema: asItIsAsked });
  await loader.load(context);
  expect(asked).toHaveLength(4);
  expect(new Set(asked).size).toBe(1);
  expect(context.store.get('1')?.assetImports).toHaveLength(1);

  // As Astro asks to generate types: images are paths there, and not to be imported.
  const types = schema({ image: () => z.string() } as unknown as SchemaContext);
  expect(asked).not.toContain(types);
  expect(types.shape.cover_image.parse('./a.jpg')).toBe('./a.jpg');

  await loader.load(await createLoaderContext({ root, schema: asItIsAsked }));
  expect(asked).toHaveLength(4 + 4);
  expect(new Set(asked).size).toBe(2);
});

it('two collections that load at once have a schema each', async () => {
  const { loader, schema } = articlesCollection({ baseUrl: service.url, apiKey: service.apiKey });
  const asked = [new Set<unknown>(), new Set<unknown>()];
  const contexts = [];
  for (const [index, seen] of asked.entries()) {
    const asItIsAsked = (given: SchemaContext) => {
      const made = schema(given);
      seen.add(made);
      return made;
    };
    const collection = `articles${index}`;
    contexts.push(await createLoaderContext({ root, collection, schema: asItIsAsked }));
  }
  await Promise.all(contexts.map((context) => loader.load(context)));
  expect(asked.map(({ size }) => size)).toEqual([1, 1]);
  expect(new Set(asked.flatMap((seen) => [...seen])).size).toBe(2);
});
