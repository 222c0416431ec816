import { describe, expect, it } from 'vitest';
import { parseHtml, toHtml } from '../../../src/html/parse-html.ts';
import { renderedContent, takeImages } from '../../../src/render/body-images.ts';

it.each([
  ['an image of the web', '<p><img src="https://a.example/1.png"></p>', 1],
  ['an image whose scheme has capitals', '<p><img src="HTTP://a.example/1.png"></p>', 1],
  ['no SVG', '<img src="https://a.example/1.svg"><img src="https://a.example/1.SVG?x=1#y">', 0],
  ['an image that is named after an SVG', '<img src="https://a.example/1.svg.png?x=.svg">', 1],
  ['no image of a picture', '<picture><img src="https://a.example/1.png"></picture>', 0],
  ['no image that is in its URL', '<img src="data:image/png;base64,iVBORw0KGgo=">', 0],
  ['no image without a file', '<img alt="An image">', 0],
  ['no video', '<video src="https://a.example/1.mp4"></video>', 0],
])('takes out of a text %s', (_, html, count) => {
  const tree = parseHtml(html);
  const images = takeImages(tree, 'an image');
  expect(images).toHaveLength(count);
  expect(toHtml(tree)).toBe(count === 0 ? html : html.replace(/<img.*?>/, '<!--an image-->'));
  for (const image of images) expect(html).toContain(image.html);
});

describe('an image that gets a local file keeps', () => {
  it.each([
    ['style="float: right" class="a b"', { style: 'float: right', class: 'a b' }],
    ['align="left" lang="de" dir="ltr"', { align: 'left', lang: 'de', dir: 'ltr' }],
    ['loading="eager" decoding="sync"', { loading: 'eager', decoding: 'sync' }],
    ['aria-label="x" role="img" title=""', { 'aria-label': 'x', role: 'img', title: '' }],
    ['width="300" height="200"', { width: 300, height: 200 }],
    ['height="200"', { height: 200 }],
    ['width="200px"', { width: 200 }],
    ['width="12.6" height="0"', { width: 13 }],
    ['width="50%"', { style: 'width: 50%; height: auto' }],
    ['width="50%" height="90"', { style: 'width: 50%; height: 90px' }],
    ['width="9%" style="margin: 1em"', { style: 'width: 9%; height: auto; margin: 1em' }],
    ['width=" 99999.5 " height="100000"', { width: 100_000 }],
    ['width="12.%" height="1.25%"', { style: 'width: 12px; height: 1.25%' }],
    ['width="x" height="-3"', {}],
    // The names of Astro's own properties, and what its file replaces.
    ['srcset="https://a.example/2.png 2x" sizes="9px" format="a" quality="9" layout="fixed"', {}],
    ['densities="2" widths="9" formats="png" priority fit="fill" position="top" index="9"', {}],
    ['background="red"', {}],
  ])('%s', (attributes, kept) => {
    const html = `<img src="https://a.example/1.png" alt="An image" ${attributes}>`;
    const images = takeImages(parseHtml(html), 'an image');
    expect(images.map((each) => each.attributes)).toEqual([{ alt: 'An image', ...kept }]);
  });
});

it('an image without an `alt` gets an empty one, which Astro requires', () => {
  const [image] = takeImages(parseHtml('<img src="https://a.example/1.png">'), 'an image');
  expect(image?.attributes).toEqual({ alt: '' });
});

it('an image with a file becomes one of Astro, and another one keeps its HTML', () => {
  const images = ['a', 'b'].map((url) => ({ url, html: `<img ${url}>`, attributes: { alt: '' } }));
  const article = { html: ['1', '2', '3'], images, metadata: {} };
  const { html, metadata } = renderedContent(article, (url) =>
    url === 'a' ? './a.png' : undefined,
  );
  expect(html).toMatch(/^1<img __ASTRO_IMAGE_="[^">]*\.\/a\.png[^">]*">2<img b>3$/);
  expect(metadata.localImagePaths).toEqual(['./a.png']);
});

it('an image that is twice in a text has one path', () => {
  const image = { url: 'a', html: '<img>', attributes: { alt: '' } };
  const article = { html: ['1', '2'], images: [image, image], metadata: {} };
  const { metadata } = renderedContent(article, () => './a.png');
  expect(metadata).toEqual({
    imagePaths: ['./a.png'],
    localImagePaths: ['./a.png'],
    remoteImagePaths: [],
  });
});
