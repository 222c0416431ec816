import { expect, it } from 'vitest';
import type { ArticlesOptions } from '../../src/options/options.ts';
import { offline, useSite } from '../helpers/use-site.ts';

const signed = '?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Expires=3600&X-Amz-Signature=ab';
const site = useSite({
  articles: () =>
    Object.entries({
      image: `![Tides](/media/tides.jpg${signed})`,
      video: `<video src="https://a.example/a.mp4${signed}"></video>`,
      file: `[A file](https://a.example/a.pdf?sv=1&se=2030-01-01&sig=ab)`,
      plain: `![Tides](/media/tides.jpg?w=1) and [expires](/?expires=1) \`x.png${signed}\``,
    }).map(([id, content]) => {
      const cover = `/media/tides.jpg${id === 'plain' ? '' : signed}`;
      return { id, title: id, content, cover_image: id === 'file' ? null : cover };
    }),
});

it.each<[what: string, options: ArticlesOptions, ids: string]>([
  ['in texts', {}, '"image", "video", "file"'],
  [
    'of covers that stay remote',
    { images: { covers: 'remote', body: 'local' } },
    '"image", "video", "file"',
  ],
  ['that are not of downloaded images', { images: { body: 'local' } }, '"video", "file"'],
])('signed URLs %s are a warning in each load that names the articles', async (_, options, ids) => {
  for (const more of [{}, {}, offline]) {
    const { failure, warnings } = await site.load(options, more);
    expect(failure).toBeUndefined();
    expect(warnings).toEqual([
      expect.stringMatching(new RegExp(`articles ${ids} have signed URLs, .*'local'`)),
    ]);
  }
});

it('does not warn of a text that is left out', async () => {
  const transform: ArticlesOptions['transform'] = (article) =>
    article.id === 'plain' ? article : undefined;
  expect((await site.load({ transform })).warnings).toEqual([]);
});
