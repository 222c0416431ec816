import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { finish } from '../../../helpers/finish.ts';

// What editors and plugins write for the scripts and styles of their own pages.

const frame = (style: string) =>
  `<iframe src="https://www.youtube.com/embed/1" style="${style}"></iframe>`;
const iframes = ['player.vimeo.com', 'www.youtube.com', 'cdn.iframe.ly'];

describe('a frame that is placed on a box with its ratio', () => {
  const codes = {
    Vimeo:
      '<div style="padding:56.25% 0 0 0;position:relative;"><iframe src="https://player.vimeo.com/video/1?h=a" frameborder="0" allow="autoplay; fullscreen" style="position:absolute;top:0;left:0;width:100%;height:100%;" title="T"></iframe></div>',
    CKEditor:
      '<figure class="media"><div><div style="position: relative; padding-bottom: 100%; height: 0; padding-bottom: 56.25%;"><iframe src="https://www.youtube.com/embed/1" style="position: absolute; width: 100%; height: 100%; top: 0; left: 0;" frameborder="0" allowfullscreen></iframe></div></div></figure>',
    Iframely:
      '<div style="left: 0; width: 100%; height: 0; position: relative; padding-bottom: 56.25%;"><iframe src="https://cdn.iframe.ly/1" style="top: 0; left: 0; width: 100%; height: 100%; position: absolute; border: 0;" allowfullscreen></iframe></div>',
    'older code': `<div class="embed-container" style="position:relative;padding:0 0 56.25%;height:0;overflow:hidden"><iframe src='https://www.youtube.com/embed/1' width="560" height="315" style='position:absolute;inset:0;width:100%;height:100%'></iframe></div>`,
  };

  it.each(Object.entries(codes))('has that ratio itself: %s', async (_, code) => {
    const { html, dropped } = await finish(code, { sanitize: { iframes } });
    expect(html).toMatch(
      /<iframe[^>]* style="[^"]*width:100%;height:auto;aspect-ratio:100\/56.25"/,
    );
    expect(html).not.toMatch(/padding|absolute|height: ?0/);
    expect(dropped).toEqual([]);
  });

  it.each(Object.entries(codes))('leaves no gap if it is dropped: %s', async (_, code) => {
    const { html, dropped } = await finish(`<p>a</p>${code}<p>b</p>`);
    expect(html).toBe('<p>a</p><p>b</p>');
    expect(dropped).toEqual([expect.stringMatching(/^iframe [a-z.]+$/)]);
  });

  it.each([
    ['', 'width:100%'],
    ['padding:5%', 'width:100%'],
    ['padding:5% 0', 'width:100%'],
    ['padding-top:56%', 'width:50px;height:100%'],
    ['padding-top:56%', 'width:100%;height:300px'],
    ['width:50%;padding-top:28%', 'width:100%;height:100%'],
  ])('only loses its position on a box with `%s`, if it has `%s`', async (ofBox, width) => {
    const box = (style: string) => `<div style="${ofBox}">${frame(style)}</div>`;
    const { html, dropped } = await finish(box(`position:absolute;${width}`), {
      sanitize: { iframes },
    });
    expect([html, dropped]).toEqual([box(width).replace(' style=""', ''), ['style on iframe']]);
  });

  it('costs little on a box with a long style', async () => {
    const box = `<div style="${'gap:0;'.repeat(330)}">${frame('position:absolute;width:100%;height:100%').repeat(20_000)}</div>`;
    const { html } = await finish(box, { sanitize: { iframes } });
    expect(html.split('<iframe')).toHaveLength(20_001);
  });
});

describe('a frame in its place', () => {
  it.each([
    `<div style="padding:5%">${frame('width:100%')}</div>`,
    `<div style="padding-top:10%">${frame('position:relative;top:0')}</div>`,
    `<div style="padding:1em 2%">${frame('width:50%;height:9em')}</div>`,
  ])('keeps its style: %s', async (html) => {
    expect((await finish(html, { sanitize: { iframes } })).html).toBe(html);
  });
});

describe('a box of nothing but a frame', () => {
  it.each(['aspect-ratio:16/9', 'height:400px', 'min-height: 20em;background:#eee', 'margin:1em'])(
    'with the style %s leaves no gap if its frame is dropped',
    async (style) => {
      const box = (inside: string) => `<div style="${style}">${inside}</div><p>b</p>`;
      expect((await finish(box(frame('')))).html).toBe('<p>b</p>');
      expect((await finish(box('<script></script>'))).html).toBe(box(''));
      expect((await finish(box(`${frame('')}x`))).html).toBe(box('x'));
    },
  );
});

describe('a box with padding', () => {
  it.each([
    '<table><tbody><tr><td style="padding:2%">@</td><td>b</td></tr></tbody></table>',
    '<ol><li style="padding:1% 0 0">@</li><li>b</li></ol>',
    '<details open=""><summary style="padding-top:1%">@</summary>x</details>',
    '<h2 id="t" style="padding-top:1%">@</h2>',
    '<div style="padding-top:9%">@</div>',
    '<section style="padding-top:9%"><div class="chart"></div>@</section>',
  ])('stays if something other than a frame is dropped from it: %s', async (html) => {
    for (const part of ['<script></script>', '<o:p> </o:p>', '<form></form>']) {
      const finished = await finish(html.replace('@', part), { slugs: ['t'] });
      expect(finished.html).toBe(html.replace('@', part.startsWith('<o:p') ? ' ' : ''));
    }
  });

  it('stays around the target of a link, if a frame is dropped from it', async () => {
    const box = (inside: string) =>
      `<div style="padding-top:9%"><span id="k"></span>${inside}</div><p><a href="#k">k</a></p>`;
    expect((await finish(box(frame('')))).html).toBe(box(''));
    const own = (inside: string) =>
      `<div id="k" style="padding-top:9%">${inside}</div><p><a href="#k">k</a></p>`;
    expect((await finish(own(frame('')))).html).toBe(own(''));
  });
});

describe('an image that waits for a script', () => {
  const url = 'https://a.example/a.jpg';
  const picture = `<img src="${url}" alt="A" width="800" height="600">`;
  const empty = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==';
  const waiting = [
    `<img class="lazyload" src="${empty}" data-src="${url}" width="800" height="600" alt="A">`,
    `<img class="lazy lazy-hidden" src="/empty.jpg" data-lazy-type="image" data-lazy-src="${url}">`,
    `<img src="data:image/svg+xml,%3Csvg%3E%3C/svg%3E" data-srcset="${url} 2x, ${url}?w=9 1x">`,
    `<img src="${url}?resize=1" data-lazy-src="${url}?is-pending-load=1" srcset="${empty}">`,
  ];
  const pictures = [picture, `<picture><source srcset="${url}">${picture}</picture>`];

  it.each(waiting.flatMap((image) => pictures.map((shown) => [image, shown] as const)))(
    'is replaced by the picture in the <noscript> next to it: %s %s',
    async (image, shown) => {
      const noscript = `<noscript>${shown}</noscript>`;
      for (const sanitize of [true, 'strict'] as const) {
        for (const pair of [image + noscript, noscript + image]) {
          const { html, dropped } = await finish(`<p>${pair}</p>`, { sanitize });
          expect([html, dropped]).toEqual([`<p>${shown}</p>`, []]);
        }
      }
    },
  );

  it.each([
    ['without a <noscript>', ''],
    ['next to another picture', `<noscript><img src="https://a.example/b.jpg"></noscript>`],
    [
      'next to a pixel',
      '<noscript><img height="1" width="1" src="https://b.example/p"></noscript>',
    ],
    ['next to a picture with a paragraph', `<noscript>${picture}<p>x</p></noscript>`],
    ['next to a picture with text', `<noscript>${picture}x</noscript>`],
    ['next to an image without a source', '<noscript><img alt=""></noscript>'],
    ['next to an object', `<noscript><object>${picture}</object></noscript>`],
    ['next to a text', '<noscript>Please enable JavaScript.</noscript>'],
  ])('stays %s, and so does any other image', async (_, noscript) => {
    const ordinary = `<img src="${url}">`;
    for (const [image = '', kept = image] of [
      [`<img src="${empty}" data-src="${url}">`, `<img src="${empty}">`],
      [`<img src="${empty}" data-src="">`, `<img src="${empty}">`],
      [`<img src="${url}" data-canonical-src="https://c.example/">`, ordinary],
      [ordinary],
    ]) {
      const { html, dropped, description, words } = await finish(`${image}${noscript}<p>A</p>`);
      expect(html).toBe(`${kept}<p>A</p>`);
      expect(dropped.includes('<noscript>')).toBe(noscript !== '');
      expect([description, words]).toEqual(['A', 1]);
    }
  });

  it('is one of many, each with a picture of its own', async () => {
    const wait = (number: number) => `<img src="/e.gif" data-src="${url}?id=${number}">`;
    const shown = (number: number) => `<img src="${url}?id=${number}">`;
    const noscript = (number: number) => `<noscript>${shown(number)}</noscript>`;
    const all = [1, 2, 3];
    for (const [html, kept] of [
      [all.map((each) => wait(each) + noscript(each)), all.map(shown)],
      [all.map((each) => noscript(each) + wait(each)), all.map(shown)],
      [[wait(1), noscript(2)], [`<img src="https://app.example.com/e.gif">`]],
      [
        [wait(1), noscript(1), shown(2)],
        [shown(1), shown(2)],
      ],
      [[noscript(1), wait(1), noscript(1)], [shown(1)]],
    ])
      expect((await finish(html?.join('') ?? '')).html).toBe(kept?.join(''));
  });

  it('gives the picture the id and the texts that it lacks', async () => {
    const image = `<img id="k" alt="Alt" title="T" src="/e.gif" data-src="${url}">`;
    const link = '<a href="#k">k</a>';
    const { html } = await finish(`${image}<noscript><img src="${url}"></noscript>${link}`);
    expect(html).toMatch(
      /^<img src="\S+" alt="Alt" title="T" id="user-content-k"><a href="#user-content-k">/,
    );
  });

  it('may have commas in its URL', async () => {
    const shown = '<img src="https://c.example/w_8,h_6/a.jpg">';
    const image = '<img src="/e.gif" data-src="https://c.example/w_8,h_6/a.jpg">';
    expect((await finish(`${image}<noscript>${shown}</noscript>`)).html).toBe(shown);
  });

  it('is replaced 20,000 times in one article within the time limit of a test', async () => {
    const many = `<img src="${empty}" data-src="${url}"><noscript>${picture}</noscript>`;
    const { html } = await finish(many.repeat(20_000));
    expect(html).toBe(picture.repeat(20_000));
  });
});

describe('an <oembed>', () => {
  const url = 'https://www.youtube.com/watch?v=1&t=2';
  const embed = `<figure class="media"><oembed url="${url}"></oembed></figure>`;
  const href = url.replace('&', '&amp;');

  it('is a link to its page', async () => {
    for (const sanitize of [true, 'strict'] as const) {
      const { html, dropped } = await finish(embed, { sanitize });
      expect(html).toContain(`><a href="${href}">${href}</a></figure>`);
      expect(dropped).not.toContain('<oembed>');
    }
  });

  it('is no link in a link', async () => {
    const { html } = await finish(`<a href="/x">t<oembed url="${url}"></oembed></a>`);
    expect(html).toBe('<a href="/x">t</a>');
  });

  it('is unchanged if the site lists it', async () => {
    const sanitize = { tags: ['oembed'], attributes: { oembed: ['url'] } };
    const { html, dropped } = await finish(embed, { sanitize });
    expect([html, dropped]).toEqual([embed.replaceAll('&', '&amp;'), []]);
  });

  it.each(['', 'url=""', 'url=" "', 'url="javascript:alert(1)"', 'url="data:text/html,x"'])(
    'is replaced by its own content if it has any, or no http URL: %s',
    async (attribute) => {
      expect((await finish(`<oembed ${attribute}></oembed>`)).html).toBe('');
      expect((await finish(`<oembed ${attribute}>x</oembed>`)).html).toBe('x');
      expect((await finish(`<oembed url="${url}">x</oembed>`)).html).toBe('x');
    },
  );
});

describe('the name of a link', () => {
  const link = '<a href="#part">x</a>';

  it.each([
    ['<a name="part"></a>', '<a id="part"></a>', []],
    ['<a name="part" id="part">A</a>', '<a id="part">A</a>', []],
    ['<a name="other" id="part">A</a>', '<a id="part">A</a>', ['name on a']],
    ['<a name="unused">A</a>', '<a>A</a>', ['name on a']],
    ['<a name="part"></a><a name="part">A</a>', '<a id="part"></a><a>A</a>', []],
    ['<a name="part"></a><p id="part">A</p>', '<a></a><p id="part">A</p>', []],
    ['<a name="">A</a>', '<a>A</a>', ['name on a']],
    ['<a name="&lt;b&gt;">A</a>', '<a>A</a>', ['name on a']],
    ['<img name="part">', '<img>', ['name on img']],
  ])('is the id that other links lead to: %s', async (html, kept, reported) => {
    const finished = await finish(html + link);
    expect([finished.html, finished.dropped]).toEqual([kept + link, reported]);
  });

  it.each(['<a name="part"></a><h2 id="part">A</h2>', '<h2 id="part"><a name="part">A</a></h2>'])(
    'gives way to the id of a heading: %s',
    async (html) => {
      const finished = await finish(html, { slugs: ['part'] });
      expect([finished.html, finished.dropped]).toEqual([html.replace(' name="part"', ''), []]);
    },
  );

  it('stays if the site lists it', async () => {
    for (const attributes of [{ a: ['name'] }, { '*': ['name'] }]) {
      const { html, dropped } = await finish('<a name="x">A</a>', { sanitize: { attributes } });
      expect([html, dropped]).toEqual(['<a name="x">A</a>', []]);
    }
  });

  it('is always removed, makes no id twice, and is the same after another pass', async () => {
    let named = 0;
    const name = fc.constantFrom('a', 'location', 'user-content-a', 'b', '', '&lt;img src=x&gt;');
    const attribute = fc.oneof(
      name.map((value) => `name="${value}"`),
      name.map((value) => `id="${value}"`),
      name.map((value) => `href="#${value}"`),
      fc.constant('href="https://a.example/"'),
    );
    const element = fc
      .tuple(
        fc.constantFrom('a', 'p', 'h2'),
        fc.uniqueArray(attribute, { selector: (text) => text.split('=')[0], maxLength: 3 }),
      )
      .map(([tag, attributes]) => `<${tag} ${attributes.join(' ')}>x</${tag}>`);
    await fc.assert(
      fc.asyncProperty(fc.array(element, { maxLength: 6 }), async (elements) => {
        const { html } = await finish(elements.join(''));
        if (elements.some((each) => /^<a .*name="./.test(each))) named += 1;
        expect(html).not.toContain('name=');
        const own = elements.filter((each) => / id="/.test(each)).length;
        const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
        if (own === 0) expect(new Set(ids).size).toBe(ids.length);
        if (own === 0) expect((await finish(html)).html).toBe(html);
      }),
    );
    expect(named).toBeGreaterThan(20);
  });
});
