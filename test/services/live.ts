import type { ArticlesIntegrationOptions } from 'astro-articles';
import { type LiveArticlesOptions, liveArticlesLoader } from 'astro-articles/live';

/** Returns the titles of the live articles of a service: those of a list, each requested by itself, too. */
export async function liveTitles(name: string, options: LiveArticlesOptions): Promise<string[]> {
  const file = new URL(`../../templates/blog/services/${name.toLowerCase()}.ts`, import.meta.url);
  const { service }: { service: ArticlesIntegrationOptions } = await import(file.href);
  const loader = liveArticlesLoader({ ...service, ...options });
  const listed = await loader.loadCollection({ collection: 'german' });
  if ('error' in listed) throw listed.error;
  const titles = listed.entries.map(async ({ id, data }) => {
    const entry = await loader.loadEntry({ filter: { id }, collection: 'german' });
    if (!entry || 'error' in entry) throw entry?.error ?? new Error(`${id} is not found`);
    return entry.data.title === data.title ? data.title : `${data.title}, ${entry.data.title}`;
  });
  return Promise.all(titles);
}
