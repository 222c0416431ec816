import { expect, it } from 'vitest';
import type { ArticlesOptions } from '../../src/options/options.ts';
import { type LoadMore, useSite } from '../helpers/use-site.ts';

const contents = {
  code: '```js\nlet a;\n```',
  plain: 'A text with `<p style="color:red">`.',
  styled: '<p style="color:red">Text</p>',
};
const site = useSite({
  articles: () =>
    Object.entries(contents).map(([id, content]) => ({
      id,
      title: id,
      content,
      cover_image: null,
    })),
});

/** Loads a site with this value of `security.csp`. Returns its warnings about inline styles. */
async function warningsWith(csp: unknown, options: ArticlesOptions = {}, more: LoadMore = {}) {
  const adapt: LoadMore['adapt'] = (context) => {
    const security = { ...context.config.security, csp } as never;
    return { ...context, config: { ...context.config, security } };
  };
  const { failure, warnings } = await site.load(options, { ...more, adapt });
  expect(failure).toBeUndefined();
  return warnings.filter((line) => line.includes('security.csp'));
}

const lost = [expect.stringMatching(/colours of code .* are lost \(articles "code", "styled"\)/)];

it('each build names the articles whose inline styles are blocked, and `astro dev` none', async () => {
  expect(await warningsWith(true)).toEqual(lost);
  expect(await warningsWith(true)).toEqual(lost);
  expect(await warningsWith(true, {}, { command: 'dev' })).toEqual([]);
  expect(await warningsWith(false)).toEqual([]);
});

it('with texts in the mirror, each build names them, too', async () => {
  expect(await warningsWith(true, { bodies: 'mirror' })).toEqual(lost);
  expect(await warningsWith(true, { bodies: 'mirror' })).toEqual(lost);
});
