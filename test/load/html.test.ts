import { describe, expect, it } from 'vitest';
import { liveArticlesLoader } from '../../src/live/index.ts';
import { speedUp } from '../helpers/time.ts';
import { key, useSite } from '../helpers/use-site.ts';

const content = `<!-- wp:heading --><h2>Salt &amp; water</h2>
<p>The first&nbsp;paragraph, with <em>words</em> and a <a href="/page/">link</a>.</p>
<figure><img src="/media/tides.jpg" alt="Tides"></figure>
    <p>Indented, as services send it.</p>

<pre><code>&lt;b&gt; *stays*</code></pre>
<h2>Salt &amp; water</h2><script>alert(1)</script><p onclick="alert(1)">--- # 1. not Markdown</p>`;

/** Titles as services of plain text have them. */
const titles = [
  'Using <dialog> and <template> in 2026',
  'Vec<T> or Box<dyn T>?',
  '<h1> vs <h2>',
  'Why &nbsp; is not a space',
  '<dialog>',
  'The <template> element & "&lt;" <b>bold</b>',
  'Two  blanks\tand a tab',
];
const article = { id: 1, title: 'Tides &#038; <em>moons</em>', content, cover_image: null };
const site = useSite({ articles: () => [article] });
const format = 'html';

describe("with `format: 'html'`", () => {
  it('keeps allowed HTML with its ids, and has headings, title, description and words', async () => {
    const { entries, warnings } = await site.load({ format });
    const entry = entries.get('1');
    expect(entry?.data).toMatchObject({
      title: 'Tides &#038; <em>moons</em>',
      description: 'The first paragraph, with words and a link.',
    });
    expect(entry?.body).toBe(content);
    const html = entry?.rendered?.html ?? '';
    expect(html).toContain('<h2 id="salt--water">Salt &amp; water</h2>');
    expect(html).toContain('<p>Indented, as services send it.</p>');
    expect(html).toContain('<pre><code>&lt;b&gt; *stays*</code></pre>');
    expect(html).toContain(`src="${site.service.url}/media/tides.jpg"`);
    expect(html).not.toMatch(/script|onclick|wp:/);
    expect(entry?.rendered?.metadata?.headings).toEqual([
      { depth: 2, slug: 'salt--water', text: 'Salt & water' },
      { depth: 2, slug: 'salt--water-1', text: 'Salt & water' },
    ]);
    expect(warnings).toEqual([expect.stringContaining('HTML that is not allowed was removed')]);
  });

  it.each(['markdown', 'html'] as const)(
    'titles are plain text, in builds and on live pages: %s',
    async (given) => {
      site.service.replace(titles.map((title, id) => ({ ...article, id, title })));
      const { entries } = await site.load({ format: given });
      const loader = liveArticlesLoader({ baseUrl: site.service.url, apiKey: key, format: given });
      const live = await loader.loadCollection({ filter: {}, collection: 'articles' });
      const liveEntries = 'entries' in live ? live.entries : [];
      for (const [id, title] of titles.entries()) {
        expect(entries.get(String(id))?.data.title).toBe(title);
        expect(liveEntries[id]?.data.title).toBe(title);
      }
    },
  );

  it('a rendering as Markdown is not used, though the title is the same', async () => {
    site.service.change(1, { title: 'A', content: '<p>*New.*</p>\n\n*Text*' });
    await site.load();
    const again = await site.load({ format });
    expect(again.entries.get('1')?.rendered?.html).toContain('*Text*');
  });

  it('a live page has the same title, headings and HTML', async () => {
    const { entries } = await site.load({ format });
    const options = { baseUrl: site.service.url, apiKey: key, format } as const;
    speedUp(1);
    const loader = liveArticlesLoader(options);
    const live = await loader.loadEntry({ filter: { id: '1' }, collection: 'articles' });
    const { title, slug, description, words } = entries.get('1')?.data ?? {};
    const { html, metadata } = entries.get('1')?.rendered ?? {};
    expect(live).toMatchObject({
      data: { title, slug, description, words },
      rendered: { html, metadata: { headings: metadata?.headings } },
    });
    const list = await loader.loadCollection({ filter: {}, collection: 'articles' });
    expect(list).toMatchObject({ entries: [{ data: { title, slug } }] });
  });
});

it('a load whose articles look like HTML says so once, and one of Markdown never does', async () => {
  const looks = (warnings: string[]) => warnings.filter((text) => text.includes("format: 'html'"));
  expect(looks((await site.load()).warnings)).toHaveLength(1);
  const texts = [
    'Text',
    '<div align="center">\n\n# Title\n\n</div>\n\nMarkdown text.\n\nMore.',
    '<p>One</p>\n\nThen *Markdown*.',
    '<details><summary>More</summary></details>\n\n- a\n- b',
  ];
  site.service.replace(
    texts.map((text, id) => ({ id: id + 2, title: 't', content: text, cover_image: null })),
  );
  const { warnings, failure } = await site.load({}, { env: { ARTICLES_ALLOW_REMOVAL: '1' } });
  expect(failure).toBeUndefined();
  expect(looks(warnings)).toEqual([]);
});
