import { describe, expect, it } from 'vitest';
import type { SanitizeOption } from '../../../src/shared/sanitize-option.ts';
import { finish } from '../../helpers/finish.ts';

const clean = async (html: string, sanitize: SanitizeOption) =>
  (await finish(html, { sanitize, processorParts: new Set(['input']) })).html;

describe('a frame', () => {
  it.each([
    ['https://video.example/1', true],
    ['https://evil.example/', false],
    ['ftp://video.example/', false],
    ['httpx://video.example/', false],
    ['javascript:alert(1)', false],
    ['javascript://video.example/%0aalert(1)', false],
    ['//video.example.evil/', false],
    ['https://video.example:8443/1', false],
    ['http://video.example:8443/1', false],
    ['http://video.example:443/1', false],
    ['https://user@video.example/1', false],
    ['http://user@video.example/1', false],
    [' ', false],
  ])('adds a frame of %s: %s', async (src, isKept) => {
    const features = "fullscreen; camera; autoplay *; web-share 'src'; autoplay; payment";
    const html = `<iframe src="${src}" allow="${features}" width="1" onload="alert(1)">x</iframe>`;
    const kept = `<iframe src="${src}" width="1" allow="fullscreen; autoplay"></iframe>`;
    expect(await clean(html, { iframes: ['Video.Example'] })).toBe(isKept ? kept : '');
  });

  it.each(['http://video.example/1?a=b', 'HTTP://Video.Example:80/1?a=b', '//video.example/1?a=b'])(
    'writes the URL of a frame with https: %s',
    async (src) => {
      const html = `<iframe src="${src}"></iframe>`;
      const kept = '<iframe src="https://video.example/1?a=b"></iframe>';
      expect(await clean(html, { iframes: ['video.example'] })).toBe(kept);
      expect((await finish(html)).dropped).toEqual(['iframe video.example']);
    },
  );

  it.each([
    '',
    'src',
    'src=" "',
    'srcdoc="&lt;p&gt;x&lt;/p&gt;"',
    'src="about:blank"',
    'src="https://video.example:8443/1"',
    'src="http://user:word@video.example/1"',
  ])('names no host of a frame that it cannot allow: <iframe %s>', async (attribute) => {
    expect((await finish(`<iframe ${attribute}></iframe>`)).dropped).toEqual(['iframe']);
    const iframes = ['video.example', 'app.example.com'];
    expect(await clean(`<iframe ${attribute}></iframe>`, { iframes })).toBe('');
  });
});

describe.each([true, 'strict'] as const)('with %j', (sanitize) => {
  it.each([
    ['<audio src="https://a.example/a.mp3"></audio>', ' controls=""'],
    ['<audio></audio>', ' controls=""'],
    ['<audio autoplay=""></audio>', ' controls=""'],
    ['<video loop=""></video>', ' controls=""'],
    ['<audio controls=""></audio>', ''],
    ['<video controls=""></video>', ''],
    ['<video autoplay="" muted=""></video>', ''],
  ])('a reader can start %s', async (html, added) => {
    expect(await clean(html, sanitize)).toBe(html.replace('></', `${added}></`));
    expect(await clean(html, false)).toBe(html);
  });

  it.each([
    ['<input type="checkbox">', '<input type="checkbox" disabled="">'],
    ['<input type="Checkbox" checked="">', '<input type="Checkbox" checked="" disabled="">'],
    ['<input type="checkbox" name="a" onclick="b">', '<input type="checkbox" disabled="">'],
    ['<input type="checkbox" disabled="">', '<input type="checkbox" disabled="">'],
    [
      '<input type="checkbox x"><input type="xcheckbox"><input type="chec\u212abox"><input type="image"><input>',
      '',
    ],
  ])('keeps only checkboxes of inputs, and disables them: %s', async (html, kept) => {
    expect(await clean(html, sanitize)).toBe(kept);
  });
});

it('keeps an input that the site allows as it is', async () => {
  const html = '<input type="checkbox"><input type="range">';
  expect(await clean(html, { tags: ['input'] })).toBe(
    '<input type="checkbox"><input type="range">',
  );
});

it.each(['applet', 'fencedframe', 'portal', 'option', 'optgroup'])(
  'shows nothing of the content of <%s>',
  async (tag) => expect(await clean(`a<${tag}>x</${tag}>`, true)).toBe('a'),
);

it.each(['astro-island', 'turbo-frame', 'amp-script', 'annotation-xml', 'slot'])(
  'replaces <%s> by its content, even if the site allows it or its processor writes it',
  async (tag) => {
    const processorParts = new Set([tag]);
    for (const sanitize of [true, { tags: [tag] }])
      expect((await finish(`<${tag}>a</${tag}>`, { sanitize, processorParts })).html).toBe('a');
  },
);

it('drops lists of choices, even if the site allows them', async () => {
  const allowList = { tags: ['select', 'selectedcontent', 'option', 'img'] };
  const choices = '<select><selectedcontent></selectedcontent><option>a<img src="x"></select>';
  expect(await clean(`${choices}b`, allowList)).toBe('b');
});

describe('the content of an <object>', () => {
  it.each([
    [
      '<object data="/a.pdf" type="application/pdf"><a href="/a.pdf">PDF</a></object>',
      '<a href="/a.pdf">PDF</a>',
    ],
    [
      '<p>a <object data="/a.svg"><param name="x" value="y"><embed src="/a.svg"><img src="https://a.example/a.png" alt="A"></object></p>',
      '<p>a <img src="https://a.example/a.png" alt="A"></p>',
    ],
    ['<div style="height:9em"><object data="/a.swf"></object></div><p>b</p>', '<p>b</p>'],
  ])('is what a reader sees in place of it: %s', async (given, shown) => {
    for (const sanitize of [true, 'strict'] as const) {
      const { html, dropped } = await finish(given, { sanitize });
      expect(html).toBe(shown);
      expect(dropped).toContain('<object>');
    }
  });

  it('is judged like any other HTML', async () => {
    const given =
      '<object><script>alert(1)</script><p onclick="x">a</p><object>b</object></object>';
    expect((await finish(given)).html).toBe('<p>a</p>b');
  });
});

describe('a drawing or a formula', () => {
  it.each([
    ['<svg><title>a</title></svg>', '<svg><title>a</title></svg>'],
    ['<svg><title><a href="#b">a</a></title></svg>', '<svg><title></title></svg>'],
    [
      '<svg><g><linearGradient><stop></stop></linearGradient></g></svg>',
      '<svg><g><linearGradient><stop></stop></linearGradient></g></svg>',
    ],
    ['<svg><desc><p>a</p></desc><g></g></svg>', '<svg><desc></desc><g></g></svg>'],
    ['<math><mi>a<svg><g></g></svg></mi></math>', '<math><mi>a</mi></math>'],
    ['<math><mtext>a<b>b</b></mtext></math>', '<math><mtext>a</mtext></math>'],
  ])('has only elements of its own kind: %s', async (html, kept) => {
    expect(await clean(html, true)).toBe(kept);
    expect(await clean(html, 'strict')).toBe('');
  });
});
