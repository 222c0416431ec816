import { describe, expect, it } from 'vitest';
import { finish } from '../../../helpers/finish.ts';

describe('an id in a heading', () => {
  it.each([
    [
      '<h2><span class="mw-headline" id="Windows_vs._POSIX">Windows vs. POSIX</span></h2>',
      '<h2 id="Windows_vs._POSIX"><span class="mw-headline">Windows vs. POSIX</span></h2>',
    ],
    [
      '<h3><span id="Caf.C3.A9"></span><span id="Café">Café</span></h3>',
      '<h3 id="Café"><span></span><span>Café</span></h3>',
    ],
    ['<h2><a id="intro"></a>Intro</h2>', '<h2 id="intro"><a></a>Intro</h2>'],
    [
      '<h2><a title="a > b" id="intro"></a>Intro</h2>',
      '<h2 id="intro"><a title="a &gt; b"></a>Intro</h2>',
    ],
    ['<h2><span\nid = "intro">Intro</span></h2>', '<h2 id="intro"><span>Intro</span></h2>'],
    [
      '<h2><strong><span id="a">A</span></strong></h2>',
      '<h2 id="a"><strong><span>A</span></strong></h2>',
    ],
  ])('is that of the heading, also in the list of headings: %s', async (given, shown) => {
    const { html, metadata } = await finish(given, { format: 'html' });
    expect(html).toBe(shown);
    expect(shown).toContain(`id="${metadata.headings[0]?.slug}"`);
  });

  it('is the target of a link of the article, too', async () => {
    const { html, dropped } = await finish('<h2><span id="a">A</span></h2><a href="#a">x</a>', {
      format: 'html',
    });
    expect([html, dropped]).toEqual(['<h2 id="a"><span>A</span></h2><a href="#a">x</a>', []]);
  });

  it.each([
    ['<h2 id="b"><span id="a">A</span></h2>', 'b'],
    ['<h2><a id="user-content-a" class="anchor" href="#a">#</a>A</h2>', 'a'],
    ['<h2><svg id="icon"></svg>A</h2>', 'a'],
    ['<h2><span id="">A</span></h2>', 'a'],
  ])(
    'is not used if the heading has one, or if it is that of something else: %s',
    async (given, slug) => {
      const { metadata } = await finish(given, { format: 'html' });
      expect(metadata.headings.map((heading) => heading.slug)).toEqual([slug]);
    },
  );

  it('is dropped from Markdown, whose headings have ids, and a notice names its element', async () => {
    const { html, dropped } = await finish('<h2 id="t"><span id="a">A</span></h2>', {
      slugs: ['t'],
    });
    expect([html, dropped]).toEqual(['<h2 id="t"><span>A</span></h2>', ['id on span']]);
  });
});
