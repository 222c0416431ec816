import { describe, expect, it } from 'vitest';
import { finish } from '../../../helpers/finish.ts';

describe('an image that waits for a script, next to a <noscript>', () => {
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
  ])('is not replaced %s, and neither is any other image', async (_, noscript) => {
    const ordinary = `<img src="${url}">`;
    for (const [image = '', kept = image] of [
      [`<img src="/e.jpg" data-src="${url}">`, '<img src="https://app.example.com/e.jpg">'],
      [`<img src="${empty}" data-src="">`, `<img src="${empty}">`],
      [`<img src="${url}" data-canonical-src="https://c.example/">`, ordinary],
      [ordinary],
    ]) {
      const { html, dropped, description, words } = await finish(`${image}${noscript}<p>A</p>`);
      expect(html).toBe(`${kept}<p>A</p>`);
      expect(dropped).toContain('<noscript>');
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

  it('may have commas in its URL', async () => {
    const shown = '<img src="https://c.example/w_8,h_6/a.jpg">';
    const image = '<img src="/e.gif" data-src="https://c.example/w_8,h_6/a.jpg">';
    expect((await finish(`${image}<noscript>${shown}</noscript>`)).html).toBe(shown);
  });
});

describe('an element with a placeholder, and its URL in a `data-` attribute', () => {
  const url = 'https://a.example/a.jpg';
  const iframes = ['www.youtube.com'];
  const placeholders = [
    '',
    ' src="https://a.example/plugins/lazy/assets/images/lazy_placeholder.gif"',
    ' src="/img/1x1.trans.png?v=2" srcset="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA="',
  ];

  it.each(placeholders)('shows it in place of the placeholder:%s', async (placeholder) => {
    for (const name of ['data-src', 'data-lazy-src', 'data-original']) {
      const { html, dropped } = await finish(`<p><img alt="A"${placeholder} ${name}="${url}"></p>`);
      expect(html).toBe(`<p><img alt="A" src="${url}"></p>`);
      expect(dropped).toEqual([]);
    }
  });

  it.each([
    [
      `<img src="data:image/gif;base64,AAAA" data-src="${url}" data-srcset="${url} 1x, /b.jpg 2x">`,
      `<img src="${url}" srcset="${url} 1x, https://app.example.com/b.jpg 2x">`,
    ],
    [
      `<picture><source srcset="data:," data-srcset="/a.webp"><img data-src="${url}"></picture>`,
      `<picture><source srcset="https://app.example.com/a.webp"><img src="${url}"></picture>`,
    ],
    [
      '<iframe src="about:blank" data-src="https://www.youtube.com/embed/1"></iframe>',
      '<iframe src="https://www.youtube.com/embed/1"></iframe>',
    ],
    [
      '<iframe data-lazy-src="//www.youtube.com/embed/1"></iframe><noscript><iframe width="9" src="//www.youtube.com/embed/1"></iframe></noscript>',
      '<iframe width="9" src="https://www.youtube.com/embed/1"></iframe>',
    ],
    [
      '<video controls data-src="/v.mp4">',
      '<video controls="" src="https://app.example.com/v.mp4"></video>',
    ],
    [
      '<audio controls data-src="/a.mp3">',
      '<audio controls="" src="https://app.example.com/a.mp3"></audio>',
    ],
    [
      '<video controls src="/v.mp4" poster="https://img.spacergif.org/v1/9x9/0a/spacer.png">',
      '<video controls="" src="https://app.example.com/v.mp4"></video>',
    ],
  ])('is shown, with what it has for other sizes: %s', async (given, shown) => {
    const { html, dropped } = await finish(given, { sanitize: { iframes } });
    expect([html, dropped]).toEqual([shown, []]);
  });

  it.each([
    [`<img src="/real.jpg" data-src="${url}">`, ['data-src on img']],
    [`<img src="/real.jpg" srcset="/b.jpg 2x" data-srcset="${url} 2x">`, ['data-srcset on img']],
    ['<img src="data:image/gif;base64,AAAA" data-src=" ">', ['data-src on img']],
    [`<img src="data:image/gif;base64,AAAA" data-large-file="${url}">`, ['data-large-file on img']],
    [`<div data-src="${url}"></div>`, ['data-src on div']],
  ])(
    'stays with another picture, another attribute or another element: %s',
    async (given, lost) => {
      const { html, dropped } = await finish(given);
      expect(html).not.toContain(url);
      expect(dropped).toEqual(lost);
    },
  );

  it('is judged like any other URL', async () => {
    const script = 'javascript:alert(1)';
    const given = `<img data-src="${script}" data-srcset="${script} 1x"><iframe data-src="https://other.example/"></iframe>`;
    const { html, dropped } = await finish(given, { sanitize: { iframes } });
    expect(html).toBe('<img>');
    expect(dropped).toEqual([
      'src with javascript on img',
      'srcset with javascript on img',
      'iframe other.example',
    ]);
  });

  it('is an image of the article that can be local', async () => {
    const { images } = await finish(`<img src="data:," data-src="${url}">`, {
      extractImages: true,
    });
    expect(images.map((image) => image.url)).toEqual([url]);
  });

  it('costs little with a long value, of which no part is a file', async () => {
    const src = 'blank'.repeat(20_000);
    const { html } = await finish(`<img src="${src}" data-src="${url}">`.repeat(20));
    expect(html).not.toContain(url);
  });
});

const placeholders = [
  '1x1',
  'blank',
  'empty',
  'loader',
  'loading',
  'pixel',
  'placeholder',
  'spacer',
];

it.each([
  ...[...placeholders, 'transparent'].flatMap((name) => [`/${name}.gif`, `/a-${name}-1.x_y.PNG`]),
  ...[
    '/Blank.svg',
    `/blank${'x'.repeat(40)}.gif`,
    'data:image/gif;base64,AAAA',
    'about:blank',
    '',
    ' ',
  ],
])('the picture %j is one that waits for another', async (src) => {
  const { html } = await finish(`<img src="${src}" data-src="https://a.example/b.png">`);
  expect(html).toBe('<img src="https://a.example/b.png">');
});

it.each([
  '/real.png',
  '/blank.jpg',
  '/loaded.gif',
  `/blank${'x'.repeat(41)}.gif`,
  '/blank/a.gif',
  '/pix.gif',
])('the picture %j is shown itself', async (src) => {
  const { html } = await finish(`<img src="${src}" data-src="https://a.example/b.png">`);
  expect(html).toBe(`<img src="https://app.example.com${src}">`);
});
