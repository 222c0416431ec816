import type { SchemaContext } from 'astro/content/config';
import { z } from 'astro/zod';
import { beforeEach, describe, expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { articleSchema } from '../../src/content/schema.ts';
import { useSite } from '../helpers/use-site.ts';

// Astro, Vite, file systems and hosts have rules for the data of a loader. No result of a load may make a
// later step of the build fail.

const site = useSite({ articles: () => makeArticles(3, { words: [5, 10] }) });

describe('fields of the service with the names of the package’s own', () => {
  const own = { slug: 'my-own-address', description: ' My own\nwords. ', words: 1e6, position: -7 };

  beforeEach(() => site.service.change(3, own));

  const named = { words: z.number(), position: z.number() };

  it.each([{}, named])(
    'replace the slug and the description, not what the package counts, with a schema of %j',
    async (fields) => {
      const schema = (context: SchemaContext) => articleSchema(context).extend(fields);
      const { entries } = await site.load({}, { schema });
      expect(entries.get('3')?.data).toMatchObject({
        slug: own.slug,
        description: 'My own words.',
        position: 3,
      });
      expect(entries.get('3')?.data.words).toBeLessThan(1_000);
    },
  );

  it('are removed by `transform`, where a site wants derived ones', async () => {
    const { failure, entries } = await site.load({
      transform: ({ slug, description, ...article }) => article,
    });
    expect(failure).toBeUndefined();
    expect(entries.get('3')?.data.slug).toMatch(/-3$/);
    expect(entries.get('3')?.data.description).not.toContain('My own');
  });
});
