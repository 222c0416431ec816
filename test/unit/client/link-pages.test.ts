import { expect, it } from 'vitest';
import { createLinkPages } from '../../../src/client/index.ts';

const post = 'https://blog.example.com/2026/one/';
const cms = 'https://cms.example.com/';
const two = 'https://blog.example.com/2026/two/';

it.each([
  ['/2026/two/', '/articles/two/'],
  ['https://blog.example.com/2026/two', '/articles/two/'],
  ['../two/#part', '/articles/two/#part'],
  [`${two}?ref=home&amp;x=1`, '/articles/two/'],
  [`${cms}2026/two/`, '/articles/two/'],
  ['/%d1%82/', '/articles/т/'],
  ['/т', '/articles/т/'],
  ['/?p=7', '/articles/seven/'],
  ['/news?id=9', '/articles/nine/'],
  ['/news/?id=9', '/articles/nine/'],
  ['/', 'https://blog.example.com/'],
  ['/?p=8', 'https://blog.example.com/?p=8'],
  ['/category/x/?a=1&amp;b=2', 'https://blog.example.com/category/x/?a=1&amp;b=2'],
  ['/100%/', 'https://blog.example.com/100%/'],
  ['https://elsewhere.example/2026/two/', 'https://elsewhere.example/2026/two/'],
  ['#part', '#part'],
  ['mailto:a@example.com', 'mailto:a@example.com'],
  ['https://[', 'https://['],
])('the link %s of an article leads to %s', (href, right) => {
  const links = createLinkPages();
  links.add(two, '/articles/two/');
  links.add('https://blog.example.com/%D1%82/', '/articles/т/');
  links.add('https://blog.example.com/?p=7', '/articles/seven/');
  links.add('https://blog.example.com/news/?id=9', '/articles/nine/');
  for (const mark of [`"`, `'`]) {
    const html = `<a\nclass="b" href=${mark}${href}${mark} rel="x">Text</a>`;
    const mapped = links.map(html, post, cms).replaceAll(`'`, '"');
    expect(mapped).toBe(`<a\nclass="b" href="${right}" rel="x">Text</a>`);
  }
});

it.each(['\n', '\t'])('a link is found if %j is before its URL', (space) => {
  const links = createLinkPages();
  links.add(two, '/articles/two/');
  const html = `<a class="b"${space}href="${two}">Text</a>`;
  expect(links.map(html, post)).toBe(html.replace(two, '/articles/two/'));
});

it('links that an article shows as code are unchanged', () => {
  const html = '<pre>&lt;a href="/about/"&gt; <b data-href="/x"></b></pre><a data-x="/x">y</a>';
  expect(createLinkPages().map(html, post)).toBe(html);
});
