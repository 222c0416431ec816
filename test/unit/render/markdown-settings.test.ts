import { describe, expect, it, vi } from 'vitest';
import { hasMarkdownPlugins, renderWith } from '../../../src/render/markdown-settings.ts';

const cyclic: Record<string, unknown> = { gfm: true };
cyclic.self = cyclic;
const line = () => undefined;

describe('a site', () => {
  it.each([
    { processor: { name: 'satteri', options: { mdastPlugins: [line] } } },
    { processor: { name: 'unified', options: { remarkPlugins: ['remark-a'] } } },
    { processor: { name: 'unified', options: { rehypePlugins: [['rehype-a', {}]] } } },
    { processor: { name: 'own' } },
    { plugins: { a: 'b' } },
    { shikiConfig: { transformers: [{ line }] } },
  ])('has plugins with %j', (markdown) => expect(hasMarkdownPlugins(markdown)).toBe(true));

  it.each([
    {},
    { processor: undefined },
    { processor: { name: 'satteri' } },
    { processor: { name: 'unified', options: { remarkPlugins: [], rehypePlugins: {} } } },
    { remarkPlugins: null, pluginsOf: ['a'], shikiConfig: { theme: 'a', transformers: [] } },
  ])('has none with %j', (markdown) => expect(hasMarkdownPlugins(markdown)).toBe(false));

  it('has none with settings that contain themselves', () =>
    expect(hasMarkdownPlugins(cyclic)).toBe(false));
});

it('one renderer, made with all settings, renders each text under the name of its file', async () => {
  const headings = [{ depth: 2, slug: 'a', text: 'A' }];
  const render = vi.fn(async (code: string, _options?: { fileURL?: URL }) => ({
    code: `<p>${code}</p>`,
    metadata: { headings, frontmatter: {} },
  }));
  const createRenderer = vi.fn(async () => ({ render }));
  const settings = { processor: { createRenderer }, gfm: false };
  const renderText = renderWith(settings);
  const first = await renderText('a', 'tides');
  expect(first).toEqual({ html: '<p>a</p>', metadata: { headings } });
  await renderText('b', 'moon');
  expect(createRenderer).toHaveBeenCalledExactlyOnceWith(settings);
  const names = render.mock.calls.map(([, options]) =>
    options?.fileURL?.pathname.split('/').at(-1),
  );
  expect(names).toEqual(['tides.md', 'moon.md']);
});
