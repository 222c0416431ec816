import { describe, expect, it } from 'vitest';
import {
  absoluteUrl,
  isAllowedUrl,
  mapSrcset,
  schemeOf,
  urlKind,
} from '../../../src/html/attribute-urls.ts';

it.each(['src', 'srcset', 'poster', 'background'])('%s has the URL of a medium', (name) => {
  expect(urlKind('x', name)).toBe('media');
});

it.each(['href', 'action', 'formaction', 'cite', 'data', 'longdesc'])(
  '%s has the URL of a link',
  (name) => {
    expect(urlKind('x', name)).toBe('link');
  },
);

it('<image href> has the URL of a medium, and <p title> has none', () => {
  expect(urlKind('image', 'href')).toBe('media');
  expect(urlKind('p', 'title')).toBeUndefined();
});

it.each([
  ['a.png', undefined],
  ['//a.example', undefined],
  ['/a:b', undefined],
  ['?a:b', undefined],
  ['1a:b', undefined],
  [':a', undefined],
  ['a', undefined],
  ['HTTPS://a.example', 'https'],
  ['x:', 'x'],
  ['A1+.-b:c', 'a1+.-b'],
  [' java\tscript\n:x', 'javascript'],
  ['java\u200bscript:x', 'javascript'],
  ['\u0001javascript:x', 'javascript'],
])('the scheme of %j is %s', (url, scheme) => expect(schemeOf(url)).toBe(scheme));

describe('a URL', () => {
  const kinds = ['png', 'jpg', 'jpeg', 'gif', 'webp', 'avif', 'bmp', 'x-icon'];

  it.each([
    ...['https://a.example', 'http://a.example', '/a', ''].flatMap((url) => [
      ['media', url],
      ['link', url],
    ]),
    ...kinds.map((kind) => ['media', `data:image/${kind};base64,x`]),
    ...['DATA:IMAGE/PNG,x', 'data:image/gif,x'].map((url) => ['media', url]),
    ...['mailto:a@b.example', 'TEL:+1'].map((url) => ['link', url]),
  ] as const)('of the kind %s may be %s', (kind, url) => {
    expect(isAllowedUrl(url, kind as 'media' | 'link')).toBe(true);
  });

  it.each([
    ...['data:image/svg+xml,x', 'data:image/pngx,x', 'data:text/html,data:image/png,x'],
    ...['data:image/png', 'javascript:data:image/png,x', 'mailto:a', 'blob:x', 'file:///a'],
  ])('of the kind media may not be %s', (url) => expect(isAllowedUrl(url, 'media')).toBe(false));

  it.each(['data:image/png,x', 'javascript:x', 'java script:x', 'vbscript:x', 'ftp://a', 'blob:x'])(
    'of the kind link may not be %s',
    (url) => expect(isAllowedUrl(url, 'link')).toBe(false),
  );
});

const same = (url: string): [string, string] => [url, url];

it.each([
  ['/uploads/doc.pdf', 'https://a.example/uploads/doc.pdf'],
  ['/api/media/file/a b.MP4?x#y', 'https://a.example/api/media/file/a%20b.MP4?x#y'],
  [
    '/assets/0c3f6a9e-1b2d-4c5e-8f70-123456789abc?download',
    'https://a.example/assets/0c3f6a9e-1b2d-4c5e-8f70-123456789abc?download',
  ],
  ...['/cv.pdf', '/rss.xml', '/blog/rss.xml', '/blog/index.html', '/articles/node.js/'].map(same),
  ...['/articles/v2.0', '/articles/a?file=b.pdf', 'uploads/doc.pdf', '//b.example/a/b.pdf'].map(
    same,
  ),
  ...['/articles/0c3f6a9e-1b2d-4c5e-8f70-123456789abc', '/assets/prices'].map(same),
])('the link %j leads to %j, with links of the site', (url, absolute) => {
  const media = new URL('https://a.example/b/');
  expect(absoluteUrl(url, { media }, 'link')).toBe(absolute);
  const links = new URL('https://site.example/');
  expect(absoluteUrl('/uploads/doc.pdf', { media, links }, 'link')).toBe(
    'https://site.example/uploads/doc.pdf',
  );
});

it.each([
  ['a.png', 'media', 'https://a.example/b/a.png'],
  ['', 'media', ''],
  ['x:y', 'media', 'x:y'],
  ['a', 'link', 'a'],
  ['#a', 'link', 'https://p.example/#a'],
  ['#a', 'media', '#a'],
  ['//[', 'media', '//['],
])('%j of the kind %s is %j', (url, kind, absolute) => {
  const base = { media: new URL('https://a.example/b/'), page: new URL('https://p.example/') };
  expect(absoluteUrl(url, base, kind)).toBe(absolute);
});

it.each([
  ['a.png', 'A.PNG'],
  ['a.png 1x, b.png 2x', 'A.PNG 1x, B.PNG 2x'],
  ['\n a.png  1x ,\n\tb.png 2x\n', 'A.PNG  1x, B.PNG 2x'],
  ['a.png,\nb.png', 'A.PNG, B.PNG'],
  [',a.png 1x,,b.png,', 'A.PNG 1x, B.PNG'],
  ['x 1x', 'X 1x'],
  // Cloudinary, Cloudflare and Thumbor have commas in URLs.
  ['/w_9,h_5/a.png 9w, /w_18,h_10/a.png 18w', '/W_9,H_5/A.PNG 9w, /W_18,H_10/A.PNG 18w'],
  [
    '/cdn-cgi/image/width=9,dpr=2/a.png 2x,/cdn-cgi/image/width=9/a.png',
    '/CDN-CGI/IMAGE/WIDTH=9,DPR=2/A.PNG 2x, /CDN-CGI/IMAGE/WIDTH=9/A.PNG',
  ],
  ['/filters:fill(red,1):crop(0,0)/a.png 1x', '/FILTERS:FILL(RED,1):CROP(0,0)/A.PNG 1x'],
  ['none.png 1x, a.png 2x', 'A.PNG 2x'],
  [' , ', ''],
])('of the srcset %j each URL is mapped: %j', (srcset, mapped) => {
  const map = (url: string) => (url === 'none.png' ? undefined : url.toUpperCase());
  expect(mapSrcset(srcset, map)).toBe(mapped);
});
