import type { SchemaContext } from 'astro/content/config';
import { z } from 'astro/zod';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { articleSchema } from '../../src/content/collection.ts';
import { fixtureCover, startImageHost, withDomains } from '../helpers/image-host.ts';
import { useSite } from '../helpers/use-site.ts';

// Astro, Vite, file systems and hosts have rules for the data of a loader. No result of a load may make a
// later step of the build fail.

const site = useSite({ articles: () => makeArticles(3, { words: [5, 10] }) });
describe('the digest of an entry', () => {
  it('changes with each field, the cover’s bytes, the position, and the text', async () => {
    const host = await startImageHost();
    onTestFinished(() => host.close());
    host.responses.set('/cover', await fixtureCover('pause.gif'));
    site.service.change(3, { cover_image: `${host.url}/cover` });
    const seen = new Set<unknown>();
    const note = async () => {
      const { failure, entries } = await site.load({}, withDomains(`127.0.0.1:${host.port}`));
      expect(failure).toBeUndefined();
      seen.add(entries.get('3')?.digest);
    };
    await note();
    site.service.change(3, { title: 'Another title' });
    await note();
    site.service.change(3, { content: 'another text' });
    await note();
    host.responses.set('/cover', await fixtureCover('tides.jpg'));
    site.service.change(3, { cover_image: `${host.url}/cover?2` });
    await note();
    site.service.remove(1);
    await note();
    expect(seen.size).toBe(5);
  });
});

describe('fields of the service with the names of the package’s own', () => {
  const own = { slug: 'my-own-address', description: ' My own\nwords. ', words: 1e6, position: -7 };

  beforeEach(() => site.service.change(3, own));

  const named = { words: z.number(), position: z.number() };

  it.each([{}, named])(
    'do not replace what the package counts, and are a usable slug and description, with a schema of %j',
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
