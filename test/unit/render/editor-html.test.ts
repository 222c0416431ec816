import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { finish } from './finish.ts';

// What editors and plugins write for the scripts and styles of their own pages.

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
    const { html, dropped } = await finish(`<p>a</p>${code}<p>b</p>`, { sanitize: true });
    expect(html.replace(/<(div|figure)[^>]*>(?:<div><\/div>)?<\/\1>/g, '')).toBe(
      '<p>a</p><p>b</p>',
    );
    expect(html).not.toContain('padding');
    expect(dropped).toEqual([expect.stringMatching(/^iframe [a-z.]+$/)]);
  });

  it('is the only one whose place is changed', async () => {
    const frame = (style: string) =>
      `<iframe src="https://www.youtube.com/embed/1" style="${style}"></iframe>`;
    for (const html of [
      `<div style="padding:5%">${frame('width:100%')}</div>`,
      `<div style="padding-top:10%">${frame('position:relative;top:0')}</div>`,
      `<div style="padding:1em 2%">${frame('width:50%;height:9em')}</div>`,
    ])
      expect((await finish(html, { sanitize: { iframes } })).html).toBe(html);
    const { html, dropped } = await finish(frame('position:absolute;top:0'), {
      sanitize: { iframes },
    });
    expect([html, dropped]).toEqual([frame('top:0'), ['style']]);
  });
});

describe('an image for a lazy script', () => {
  const picture = '<img src="https://a.example/a.jpg" alt="A" width="800" height="600">';
  const empty = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==';
  const placeholders = [
    `<img class="lazyload" src="${empty}" data-src="https://a.example/a.jpg" width="800" height="600" alt="A">`,
    `<img class="lazy lazy-hidden" src="/placeholder.jpg" data-lazy-type="image" data-lazy-src="https://a.example/a.jpg">`,
    `<img src="data:image/svg+xml,%3Csvg%3E%3C/svg%3E" data-srcset="https://a.example/a.jpg 2x">`,
  ];

  it.each(placeholders)(
    'is left out next to the picture in <noscript>: %s',
    async (placeholder) => {
      for (const sanitize of [true, 'strict'] as const) {
        for (const [before, behind] of [
          [placeholder, ''],
          ['', placeholder],
        ]) {
          const { html, dropped } = await finish(
            `<p>${before}<noscript>${picture}</noscript>${behind}</p>`,
            { sanitize },
          );
          expect([html, dropped]).toEqual([`<p>${picture}</p>`, []]);
        }
      }
    },
  );

  it('stays without such a picture, and so does an ordinary image next to one', async () => {
    const [placeholder = ''] = placeholders;
    const alone = await finish(`${placeholder}<noscript>Text</noscript>`, { sanitize: true });
    expect(alone.html).toContain(`<img class="lazyload" src="${empty}"`);
    const beside = await finish(`${picture}<noscript>${picture}</noscript>`, { sanitize: true });
    expect([beside.html, beside.dropped]).toEqual([picture + picture, []]);
  });

  it('shows what a <noscript> contains, as far as it is allowed', async () => {
    const text = '<p>See <a href="https://a.example/">the code</a>.</p>';
    const html = `<noscript>${text}<iframe src="https://b.example/"></iframe></noscript>`;
    const finished = await finish(html, { sanitize: true });
    expect([finished.html, finished.dropped]).toEqual([text, ['iframe b.example']]);
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
      expect(dropped).toContain('<oembed>');
    }
  });

  it('is unchanged if the site lists it', async () => {
    const sanitize = { tags: ['oembed'], attributes: { oembed: ['url'] } };
    const { html, dropped } = await finish(embed, { sanitize });
    expect([html, dropped]).toEqual([embed.replaceAll('&', '&amp;'), []]);
  });

  it('is nothing without a URL, or with one that runs script', async () => {
    for (const attribute of [
      '',
      ' url=""',
      ' url="javascript:alert(1)"',
      ' url="data:text/html,x"',
    ]) {
      const { html } = await finish(`<oembed${attribute}></oembed>`, { sanitize: true });
      expect(html).not.toContain('href');
    }
  });
});

describe('the name of a link', () => {
  it.each([
    ['<a name="part"></a>', '<a id="part"></a>', []],
    ['<a name="part" id="part">A</a>', '<a id="part">A</a>', []],
    ['<a name="other" id="part">A</a>', '<a id="part">A</a>', ['name on a']],
    ['<a name="unused">A</a>', '<a>A</a>', ['id']],
    [
      '<img name="part" src="https://a.example/a.png">',
      '<img src="https://a.example/a.png">',
      ['name on img'],
    ],
  ])('is the id that other links lead to: %s', async (html, kept, reported) => {
    const link = '<a href="#part">x</a>';
    const finished = await finish(html + link, { sanitize: true });
    expect([finished.html, finished.dropped]).toEqual([kept + link, reported]);
  });

  it('never stays, so that no script of the page reads it', async () => {
    let named = 0;
    const name = fc.constantFrom('a', 'location', 'user-content-a', '');
    const attribute = fc.oneof(
      name.map((value) => `name="${value}"`),
      name.map((value) => `id="${value}"`),
      name.map((value) => `href="#${value}"`),
      fc.constant('href="https://a.example/"'),
    );
    const link = fc
      .uniqueArray(attribute, { selector: (text) => text.split('=')[0], maxLength: 3 })
      .map((attributes) => `<a ${attributes.join(' ')}>x</a>`);
    await fc.assert(
      fc.asyncProperty(fc.array(link, { maxLength: 5 }), async (links) => {
        const { html } = await finish(links.join(''), { sanitize: true });
        if (links.some((each) => each.includes('name='))) named += 1;
        expect(html).not.toContain('name=');
      }),
    );
    expect(named).toBeGreaterThan(30);
  });
});
