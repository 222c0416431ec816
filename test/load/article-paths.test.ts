import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { unified } from '@astrojs/markdown-remark';
import { satteri } from '@astrojs/markdown-satteri';
import { expect, it } from 'vitest';
import { liveArticlesLoader } from '../../src/live/index.ts';
import { key, useSite } from '../helpers/use-site.ts';

const article = { title: 'How tides work', content: '## A', cover_image: null };
const site = useSite({
  articles: () => [
    { ...article, id: 26 },
    { ...article, id: 27 },
    { ...article, id: 28, slug: 'own' },
  ],
});

/** Processors with a plugin that records the path of its file. */
const processors = {
  unified: (paths: Set<string>) => {
    const record = () => (_: unknown, file: { path: string }) => void paths.add(file.path);
    return unified({ remarkPlugins: [record] });
  },
  Sätteri: (paths: Set<string>) => {
    const record = ({ fileURL }: { fileURL?: URL }) =>
      void (fileURL && paths.add(fileURLToPath(fileURL)));
    return satteri({ hastPlugins: [record as never] });
  },
};

it.each(Object.entries(processors))(
  'a plugin of %s gets the path of the entry for each article',
  async (_, create) => {
    const paths = new Set<string>();
    const processor = create(paths);
    const { entries, failure } = await site.load({}, { markdown: { processor } });
    expect(failure).toBeUndefined();
    const own = ['26', '27', '28'].map((id) => join(site.root, entries.get(id)?.filePath ?? ''));
    expect(own.map((path) => path.split('/').at(-1))).toEqual([
      'how-tides-work-26.md',
      'how-tides-work-27.md',
      'own.md',
    ]);
    // The settings of the processor are tried with a text of the package.
    const probe = join(site.root, 'src/content/articles/_probe.md');
    expect([...paths].sort()).toEqual([probe, ...own].sort());
  },
);

it('a plugin gets the same names on live pages', async () => {
  const paths = new Set<string>();
  const render = { processor: processors.unified(paths) };
  const loader = liveArticlesLoader({ baseUrl: site.service.url, apiKey: key, render });
  await loader.loadCollection({ collection: 'articles' });
  const names = [...paths].map((path) => pathToFileURL(path).href.split('/').at(-1));
  expect(names.sort()).toEqual([
    '_probe.md',
    'how-tides-work-26.md',
    'how-tides-work-27.md',
    'own.md',
  ]);
});
